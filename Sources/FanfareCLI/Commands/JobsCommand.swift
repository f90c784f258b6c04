/// `fanfare jobs`: lists the jobs of the user on this machine.
enum JobsCommand {
    static func run(_ arguments: ParsedArguments) throws(CommandError) -> Int32 {
        let list = JobList.find()
        Terminal.print(arguments[Options.Jobs.json] ? list.json : list.text)
        return 0
    }
}
