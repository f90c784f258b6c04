/// The part of the page that steers the job.
extension LivePage {
    func writeControls(to markup: inout Markup) {
        markup.section("Control") { markup in
            markup.element(
                "p", .init("id", "no-key"),
                text: "To steer the job, open the link that the terminal shows.")
            markup.element("div", .init("id", "controls"), .init("hidden", "hidden")) { markup in
                markup.element("div", .style("buttons")) { markup in
                    Self.button("pause", "Pause", to: &markup)
                    Self.button("resume", "Resume", to: &markup)
                    Self.button("stop", "Stop…", to: &markup)
                }
                markup.element("form", .style("buttons"), .init("id", "rate-form")) { markup in
                    if !routes.isEmpty { writeRoutes(of: &markup) }
                    markup.element("label", .init("for", "rate-value"), text: "Rate")
                    markup.empty(
                        "input", .init("id", "rate-value"), .init("name", "rate"),
                        .init("type", "text"), .init("autocomplete", "off"),
                        .init("spellcheck", "false"), .init("required", "required"),
                        .init("maxlength", "40"), .init("size", "14"),
                        .init("placeholder", "2000/s"), .init("aria-describedby", "rate-help"))
                    markup.element("button", .init("type", "submit"), text: "Set the rate")
                    Self.button("unlimited", "No limit", to: &markup)
                }
                markup.element(
                    "p", .style("note"), .init("id", "rate-help"),
                    text: "Attempts in a time: 2000/s, 90000/min. It holds at once.")
                markup.element("p", .init("id", "answer"), .init("role", "status"), text: "")
            }
            markup.element("dialog", .init("id", "ask"), .init("aria-labelledby", "ask-title")) {
                markup in
                markup.element("h3", .init("id", "ask-title"), text: "Stop the job?")
                markup.element(
                    "p",
                    text: "No new request starts, and the job waits for the answers to those in "
                        + "flight. It can be carried on later if it writes a report.")
                markup.element("div", .style("buttons")) { markup in
                    // The first one has the focus when the question comes.
                    Self.button("stop-not", "Let it run", to: &markup)
                    Self.button("stop-now", "Stop it", to: &markup)
                }
            }
        }
    }

    private func writeRoutes(of markup: inout Markup) {
        markup.element("label", .init("for", "rate-route"), text: "Of")
        markup.element("select", .init("id", "rate-route")) { markup in
            markup.element("option", .init("value", ""), text: "the whole job")
            for route in routes {
                markup.element("option", .init("value", route), text: route)
            }
        }
    }

    private static func button(_ id: String, _ text: String, to markup: inout Markup) {
        markup.element("button", .init("id", id), .init("type", "button"), text: text)
    }
}
