import Testing

@testable import FanfareCLI

/// The command that `report --of` prints for a worker whose report is lost.
@Suite struct ShellCommandLostTests {
    @Test(arguments: [
        ("web2", "--lost web2"), ("-web 1", "'--lost=-web 1'"),
        (#"web"2'é $x"#, #"--lost 'web"2'\''é $x'"#), ("web3#2", "--lost 'web3#2'"),
    ])
    func `the command can be pasted whatever the worker is called`(worker: String, words: String) {
        #expect(
            ShellCommand.writingLost(
                "fanfare", of: ["w 1.csv", "-w2.csv"], job: "host=/run dbname=push/july",
                worker: worker)
                == "fanfare report 'w 1.csv' ./-w2.csv --of 'host=/run dbname=push/july' \(words) --rows ROWS "
                + "--output lost.csv")
    }
}
