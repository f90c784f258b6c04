/// The script of the page that shows a job while it runs.
enum LiveScript {
    /// The text of its element.
    ///
    /// The marks around it make it text in XML, too, where it may have its own `<` and `&`.
    static let text: StaticString = #"""

        //<![CDATA[
        "use strict";
        (() => {
          const place = id => document.getElementById(id);
          const wholes = new Intl.NumberFormat("en-US", {maximumFractionDigits: 0});
          const number = value => wholes.format(value);

          // All that is shown is set as text: what others say must not become part of the page.
          const set = (id, text) => {
            const element = place(id);
            if (element && element.textContent !== text) element.textContent = text;
          };
          const show = (id, isShown) => {
            const element = place(id);
            if (element) element.hidden = !isShown;
          };

          // Figures as people read them.

          const percent = (part, whole) => {
            if (!whole) return "";
            const share = part / whole * 100;
            if (part && share < 0.1) return "under 0.1 %";
            if (share > 99.9 && part !== whole) return "over 99.9 %";
            return (share === 100 || share === 0 ? share : share.toFixed(1)) + " %";
          };
          const duration = seconds => {
            const whole = Math.ceil(seconds);
            if (whole < 60) return whole + " s";
            const minutes = Math.floor(whole / 60);
            if (minutes < 10) return minutes + " min " + whole % 60 + " s";
            if (minutes < 60) return minutes + " min";
            const hours = Math.floor(minutes / 60);
            if (hours < 24) return hours + " h " + minutes % 60 + " min";
            return Math.floor(hours / 24) + " d " + hours % 24 + " h";
          };
          // Time that has passed, of which little matters, too.
          const passed = seconds => seconds >= 10 ? duration(Math.floor(seconds))
            : seconds < 0.05 ? "under 0.1 s" : seconds.toFixed(1) + " s";
          const latency = milliseconds => {
            if (milliseconds === null) return "–";
            if (milliseconds < 10) return milliseconds.toFixed(2) + " ms";
            if (milliseconds < 1000) return milliseconds.toFixed(1) + " ms";
            return (milliseconds / 1000).toFixed(2) + " s";
          };
          const bytes = count => {
            for (const unit of ["bytes", "KB", "MB", "GB"]) {
              if (count < 1000) return (unit === "bytes" ? count : count.toFixed(1)) + " " + unit;
              count /= 1000;
            }
            return count.toFixed(1) + " TB";
          };
          const clock = moment => {
            const date = new Date(moment);
            const time = {hour: "2-digit", minute: "2-digit"};
            if (Math.abs(moment - Date.now()) > 72000000) time.weekday = "long";
            if (Math.abs(moment - Date.now()) > 500000000) {
              return date.toLocaleDateString("en-CA") + " " + date.toLocaleTimeString("en-GB", {
                hour: "2-digit", minute: "2-digit"});
            }
            return date.toLocaleString("en-GB", time);
          };

          // The text that is read aloud: the state when it changes, and every tenth of the way.

          const title = place("title").textContent;
          const things = place("steps") ? "requests" : "rows";
          const stateTexts = {
            running: "Running", paused: "Paused: nothing new is sent",
            stopping: "Stopping: waiting for the last answers",
            ordering: "All rows are done; the report is put in order", ended: "Ended"};
          let last = null, told = "", tenth = 0, isLost = false, hasEnded = false;

          const tell = (text, style) => {
            if (told === text) return;
            told = text;
            set("told", text);
            place("state").className = "state" + (style ? " " + style : "");
          };
          const tellState = data => {
            if (isLost || hasEnded) return;
            const now = data.share === null ? 0 : Math.floor(data.share * 10);
            if (now > tenth) tenth = now;
            const pause = data.trouble !== null ? "; a provider does not answer"
              : data.pause !== null ? "; a provider takes nothing for now" : "";
            const text = stateTexts[data.state] || data.state;
            set("state", text + pause);
            const isOnWay = data.state === "running" && tenth > 0 && tenth < 10;
            tell(text + (isOnWay ? ", more than " + tenth + "0 % done" : "")
              + pause, data.state);
          };

          // The job's news.

          const fillBars = (prefix, values, text) => {
            const whole = Object.values(values).reduce((sum, value) => sum + value, 0);
            for (const [name, value] of Object.entries(values)) {
              const id = prefix + "-" + name;
              show(id, value > 0);
              if (!(value > 0)) continue;
              set(id + "-value", text(value));
              set(id + "-share", percent(value, whole));
              const bar = place(id + "-bar");
              const length = Math.max(Math.round(value / whole * 1000), 4);
              if (bar) bar.setAttribute("d", "M0 0h" + length + "v10H0z");
            }
          };

          const fillProgress = data => {
            const bar = place("progress");
            const parts = [];
            if (data.share === null) {
              bar.removeAttribute("value");
              parts.push(number(data.rows) + " " + things + "; how many there are is not known");
            } else {
              bar.value = data.share;
              parts.push(Math.floor(data.share * 100) + " % done");
            }
            parts.push("running for " + duration(data.elapsed));
            if (data.waits_until !== null) {
              parts.push(number(data.waiting) + " rows wait until " + clock(data.waits_until));
            }
            set("progress-text", parts.join(", "));
            document.title =
              (data.share === null ? "" : Math.floor(data.share * 100) + " % · ") + title;
          };

          const fillFigures = data => {
            const accepted = data.outcomes.accepted + data.valid;
            const dead = data.outcomes.unregistered;
            const others = data.rows - accepted - (place("dead") ? dead : 0);
            set("rows", number(data.rows));
            set("accepted", number(accepted));
            set("accepted-note", percent(accepted, data.rows));
            set("dead", number(dead));
            set("dead-note", percent(dead, data.rows));
            set("other", number(Math.max(others, 0)));
            set("other-note", percent(Math.max(others, 0), data.rows));
            set("rate", number(data.rate));
            set("rate-note", things + " a second");
            set("left", data.left === null ? "–" : duration(data.left));
            set("left-note",
              data.left === null ? "not known" : "done " + clock(Date.now() + data.left * 1000));
            set("latency", latency(data.p50));
            set("latency-note",
              data.p50 === null ? "no answers lately" : "p50; p99 " + latency(data.p99));
            set("in-flight", number(data.in_flight));
            const allowed = data.adaptive === null ? data.allowed : data.adaptive;
            // Some servers allow billions, and mean as many as one likes.
            set("in-flight-note", allowed > 0 && allowed < 1e6 ? number(allowed) + " allowed" : "");
            set("limit", data.limit === null ? "–" : data.limit);
            set("limit-note", "lately");
            set("retries", number(data.retries));
            set("retries-note", "attempts beyond the first");
            const states = data.connections;
            const notOpen = ["connecting", "leaving", "draining"].filter(name => states[name] > 0)
              .map(name => states[name] + " " + name);
            set("connections", number(states.open));
            set("connections-note", ["open"].concat(notOpen, data.opened + " in all").join(", "));
            set("pace", data.pace === "unlimited" ? "none" : data.pace);
            const late = data.late_starts;
            set("pace-note", (late === null ? "" : number(late) + " late starts, ")
              + bytes(data.sent_bytes) + " sent");
            const alert = data.trouble || data.pause;
            set("alert", alert || "");
            show("alert", alert !== null);
          };

          const fillRoutes = routes => routes.forEach((route, index) => {
            const cell = (name, text) => set(`r${index}-${name}`, text);
            cell("rows", number(route.rows));
            cell("accepted", number(route.accepted));
            cell("dead", number(route.unregistered));
            cell("in-flight", number(route.in_flight));
            cell("connections", number(route.connections));
            cell("pace", route.pace === "unlimited" ? "none" : route.pace);
            cell("limit", route.trouble || route.pause || route.limit || "");
          });

          const fillVariants = variants => variants.forEach((variant, index) => {
            const cell = (name, text) => set(`v${index}-${name}`, text);
            cell("rows", number(variant.rows));
            cell("accepted", number(variant.accepted));
            cell("share", variant.share);
            cell("dead", number(variant.unregistered));
            cell("difference", variant.difference);
          });

          // The steps of a load test.

          let stepsShown = 0;
          const fillSteps = data => {
            const body = place("steps");
            if (!body) return;
            set("step", data.step || "–");
            set("step-note", data.step_load || "");
            if (stepsShown === data.steps_over) return;
            stepsShown = data.steps_over;
            body.replaceChildren(...data.steps.map(step => {
              const row = document.createElement("tr");
              const texts = [step.load, number(step.rate), latency(step.p50), latency(step.p99),
                percent(step.errors, 1)];
              for (const text of texts) {
                const cell = document.createElement("td");
                cell.className = row.children.length > 0 ? "n" : "t";
                cell.textContent = text;
                row.append(cell);
              }
              return row;
            }));
            show("no-steps", data.steps.length === 0);
          };

          // Over time.

          const momentsMax = 600;
          let moments = [];

          const draw = (id, values, top) => {
            const from = moments[0][0], span = moments[moments.length - 1][0] - from || 1;
            let path = "", isDown = false;
            moments.forEach((moment, index) => {
              const value = values(moment);
              if (value === null) { isDown = false; return; }
              const x = ((moment[0] - from) / span * 1000).toFixed(1);
              path += (isDown ? "L" : "M") + x + " " + (200 - value / top * 200).toFixed(1);
              isDown = true;
            });
            place(id).setAttribute("d", path || "M0 0");
          };
          const most = values =>
            moments.reduce((most, moment) => Math.max(most, values(moment) || 0), 0);
          const drawPlots = () => {
            if (!place("plot-rate") || moments.length < 2) return;
            const ago = duration(moments[moments.length - 1][0] - moments[0][0]) + " ago";
            const newest = moments[moments.length - 1];
            const rate = most(moment => moment[1]);
            draw("plot-rate-rate", moment => moment[1], rate || 1);
            set("plot-rate-text", number(newest[1]) + " " + things + " a second now, at most "
              + number(rate) + ".");
            const slowest = most(moment => moment[3]);
            draw("plot-latency-p50", moment => moment[2], slowest || 1);
            draw("plot-latency-p99", moment => moment[3], slowest || 1);
            set("plot-latency-text", newest[2] === null ? "No answers lately." : "p50 "
              + latency(newest[2]) + " and p99 " + latency(newest[3]) + " now, at most "
              + latency(slowest) + ".");
            set("plot-rate-top", number(rate) + " a second");
            set("plot-latency-top", newest[2] === null && !slowest ? "" : latency(slowest));
            set("plot-rate-from", ago);
            set("plot-latency-from", ago);
          };
          const addMoment = moment => {
            moments.push(moment);
            if (moments.length <= momentsMax) return;
            moments = moments.filter((_, index) => index % 2 === 0);
          };

          // Events.

          const eventsMax = 200;
          const addEvent = event => {
            const list = place("events");
            if (!list) return;
            const item = document.createElement("li");
            item.className = event.level;
            const time = document.createElement("time");
            const date = new Date(event.time);
            time.dateTime = date.toISOString();
            time.textContent = date.toLocaleTimeString("en-GB");
            const name = document.createElement("b");
            name.textContent = (event.level === "info" ? "" : event.level + ": ")
              + event.event.replaceAll("_", " ");
            const text = document.createElement("span");
            text.textContent = event.text;
            item.append(time, name, text);
            list.prepend(item);
            while (list.children.length > eventsMax) list.lastElementChild.remove();
            show("events", true);
            show("no-events", false);
          };

          // Steering.

          const lead = "#control=";
          let key = "";
          if (location.hash.startsWith(lead)) {
            key = location.hash.slice(lead.length);
            // Out of the address, so that it is not shown or copied with it; a reload still has it.
            history.replaceState({key}, "", location.pathname);
          } else if (history.state) {
            key = history.state.key || "";
          }
          const order = async text => {
            set("answer", "…");
            try {
              const answer = await fetch("/control", {
                method: "POST", headers: {"Fanfare-Control": key, "Content-Type": "text/plain"},
                body: text, credentials: "omit", redirect: "error", cache: "no-store"});
              // Without the number in front, which is for programs.
              set("answer", (await answer.text()).trim().replace(/^[45]\d\d [A-Z][A-Za-z ]*: /, ""));
            } catch {
              set("answer", "This did not reach the job.");
            }
          };
          const fillControls = data => {
            if (!place("controls")) return;
            place("pause").disabled = data.state !== "running";
            place("resume").disabled = data.state !== "paused";
            place("stop").disabled = data.state !== "running" ? data.state !== "paused" : false;
          };
          const isSteerable = place("controls") !== null;
          if (isSteerable) {
            show("no-key", !key);
            show("controls", key !== "");
            const on = (id, event, action) => place(id).addEventListener(event, action);
            on("pause", "click", () => order("pause"));
            on("resume", "click", () => order("resume"));
            on("stop", "click", () => place("ask").showModal());
            on("stop-not", "click", () => place("ask").close());
            on("stop-now", "click", () => { place("ask").close(); order("stop"); });
            const setRate = rate => {
              const route = place("rate-route");
              order("rate " + (route ? route.value ? route.value + "=" : "" : "") + rate);
            };
            on("unlimited", "click", () => setRate("unlimited"));
            on("rate-form", "submit", event => {
              event.preventDefault();
              setRate(place("rate-value").value.replaceAll(/\s/g, ""));
            });
          }

          // The end: the server has the page about the whole job for as long as fetching it takes.

          const becomeFinal = html => {
            // Without its head: this page's policy is stricter, and its style the same. Places in
            // its plots are set here, since the policy allows no style in an element.
            const body = html.slice(html.indexOf("<body>")).replaceAll(' style="', ' data-place="');
            const page = new DOMParser().parseFromString(body, "text/html");
            for (const element of page.querySelectorAll("[data-place]")) {
              const [name, value] = element.dataset.place.split(":");
              element.removeAttribute("data-place");
              if (["left", "bottom"].includes(name)) element.style.setProperty(name, value);
            }
            const hadFocus = place("main").contains(document.activeElement);
            place("main").replaceChildren(...page.querySelector("main").childNodes);
            set("title", page.querySelector("h1").textContent);
            set("lead", page.querySelector("header p").textContent);
            set("footer", page.querySelector("footer").textContent);
            document.title = place("title").textContent;
            if (hadFocus) place("title").focus();
          };
          const finish = async end => {
            hasEnded = true;
            set("state", end.text);
            tell(end.text, "");
            show("progress", false);
            show("progress-text", false);
            if (isSteerable) show("controls", false);
            if (!end.has_page) return;
            try {
              const answer = await fetch("/final", {credentials: "omit", cache: "no-store"});
              if (!answer.ok) throw new Error("no page");
              const whole = await answer.blob();
              const link = place("save-link");
              link.href = URL.createObjectURL(new Blob([whole], {type: "text/html"}));
              link.download = end.name;
              becomeFinal(await whole.text());
              show("save", true);
            } catch {
              const text = end.text + " Its last page could not be loaded; these are the last figures.";
              set("state", text);
              tell(text, "lost");
            }
          };

          const source = new EventSource("/events?" + place("main").dataset.reader);
          const hear = (name, action) => source.addEventListener(name, message => {
            action(JSON.parse(message.data));
          });
          source.onopen = () => { isLost = false; if (last) tellState(last); };
          source.onerror = () => {
            if (hasEnded) return;
            isLost = true;
            const text = source.readyState === EventSource.CLOSED
              ? "The server takes no more viewers, or is another one: reload to try again."
              : "Connection lost: the figures are old. Trying again…";
            set("state", text);
            tell(text, "lost");
          };
          hear("history", data => {
            moments = data.moments;
            if (place("events")) place("events").replaceChildren();
          });
          hear("snapshot", data => {
            last = data;
            fillProgress(data);
            fillFigures(data);
            fillBars("o", data.outcomes, number);
            fillBars("l", data.limits, passed);
            fillRoutes(data.routes);
            fillVariants(data.variants);
            fillControls(data);
            fillSteps(data);
            addMoment([data.elapsed, data.rate, data.p50, data.p99]);
            drawPlots();
            tellState(data);
          });
          hear("log", addEvent);
          hear("end", async end => { await finish(end); source.close(); });
        })();
        //]]>

        """#
}
