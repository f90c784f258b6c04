/// `fanfare man`: the manual page, for `man -l` and for packages.
enum ManCommand {
    static func run(_: ParsedArguments) -> Int32 {
        Terminal.print(ManualPage.text())
        return 0
    }
}
