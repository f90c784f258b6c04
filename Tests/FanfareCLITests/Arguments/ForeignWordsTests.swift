import FanfareCLI
import Testing

@Suite struct ForeignWordsTests {
    private func message(_ words: [String]) -> String {
        do throws(UsageError) {
            _ = try ArgumentParser().parse(words)
            return "no error"
        } catch {
            return error.description
        }
    }

    @Test(arguments: [
        ("send --dry-run", "'fanfare check' does all that send does up to the network"),
        ("send --qps 5", "did you mean --rate?"), ("bench --qps 5", "did you mean --rate?"),
        ("bench --concurrency 5", "did you mean --in-flight?"),
        ("send --concurrency 5", "did you mean --connections?"),
        ("send --sandbox", "write --environment sandbox"),
        ("push 0a --sandbox", "write --environment sandbox"),
        ("send --production", "write --environment production, the default"),
        ("send --bundle-id x", "did you mean --topic?"), ("send --p8 x", "did you mean --key?"),
        ("send --cert x", "did you mean --certificate?"),
        ("send --cacert x", "did you mean --ca-file?"),
        ("simulate --threads 2", "did you mean --lanes?"),
        ("bench --threads 2", "did you mean --lanes?"),
        ("bench --json x", "did you mean --summary?"),
        ("report r.csv --format csv", "did you mean --output-format?"),
        ("generate --out x", "did you mean --output?"), ("send --out x", "did you mean --report?"),
        ("simulate --key x", "did you mean --tls-key?"),
        ("simulate --certificate x", "did you mean --tls-certificate?"),
        ("send --filter x", "did you mean --where?"),
        ("report r.csv --filter x", "did you mean --select?"),
        ("send --android", "write --provider fcm"),
        (
            "send --quiet-hours 20:00-09:00",
            "--window names the hours to send in; for quiet hours from 20:00 to 09:00 write "
                + "--window 09:00-20:00"
        ),
        ("send --force", "did you mean --overwrite?"),
        ("send --retries 3", "did you mean --max-attempts?"),
        ("send --tokens x", "files of tokens stand behind the command: fanfare send rows.csv"),
    ])
    func `a word of another tool is answered with ours`(line: String, advice: String) {
        let said = message(line.split(separator: " ").map(String.init))
        #expect(said.hasSuffix("; " + advice), "\(said)")
        #expect(said.contains("unknown option '--"))
    }

    @Test(arguments: [
        ("send -H x", "it is --header of bench"), ("send -z 5s", "it is --duration of bench"),
        ("send -n 5", "did you mean --limit?"),
    ])
    func `a letter of another command is answered with its option`(line: String, advice: String) {
        let said = message(line.split(separator: " ").map(String.init))
        #expect(said.hasSuffix("; " + advice), "\(said)")
    }

    /// An answer that names an option which no command has would send people round in a circle.
    @Test(arguments: ForeignWords.all)
    func `each word is answered in a command, and is no option that its command has`(word: String) {
        let answered = Commands.all.filter { ForeignWords.advice(on: word, for: $0) != nil }
        #expect(!answered.isEmpty)
        #expect(answered.contains { $0.option(named: word) == nil })
        for command in answered {
            let advice = ForeignWords.advice(on: word, for: command) ?? ""
            for match in advice.matches(of: /--([a-z][a-z0-9-]*)/) {
                #expect(
                    Commands.all.contains { $0.option(named: String(match.1)) != nil }, "\(advice)")
            }
        }
    }
}
