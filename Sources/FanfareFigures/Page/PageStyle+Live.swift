extension PageStyle {
    /// The rules that the page of a running job has besides `sheet`: with the same colors, and
    /// without `<` and `&` for the same reason.
    static let liveSheet: StaticString = """

        [hidden] { display: none !important; }
        .now { margin-top: 1.25rem; }
        .now progress { display: block; width: 100%; height: .9rem; margin: .5rem 0 .4rem;
          accent-color: var(--accent); }
        header .note { margin-top: .5rem; }
        .now .note { margin: 0; }
        .told { position: absolute; width: 1px; height: 1px; overflow: hidden;
          clip-path: inset(50%); }
        header .state { margin: 0; color: var(--text); font-weight: 600; }
        .state.lost, .state.paused { color: var(--text); border-left: 3px solid var(--c3);
          padding-left: .6rem; }
        #title:focus { outline: none; }
        #limit { font-size: 1.1rem; }
        .buttons { display: flex; flex-wrap: wrap; align-items: center; gap: .6rem;
          margin: 0 0 1rem; }
        button, input, select { font: inherit; color: var(--text); background: var(--raised);
          border: 1px solid var(--soft); border-radius: .3rem; padding: .45rem .8rem;
          min-height: 2.75rem; max-width: 100%; }
        button { cursor: pointer; }
        button:hover { border-color: var(--accent); }
        button:disabled { color: var(--soft); border-color: var(--rule); cursor: default; }
        dialog { max-width: 26rem; color: var(--text); background: var(--ground);
          border: 1px solid var(--soft); border-radius: .4rem; padding: 1.25rem; }
        dialog::backdrop { background: rgb(0 0 0 / .5); }
        dialog p { margin: .5rem 0 1rem; }
        a { color: var(--accent); }
        .live-plot { position: relative; margin-top: .7rem; padding-bottom: 1.4rem;
          font-size: .8rem; color: var(--soft); }
        .live-plot svg { display: block; width: 100%; height: 9rem; overflow: visible; }
        .live-plot svg path { vector-effect: non-scaling-stroke; }
        .live-plot .from, .live-plot .to { position: absolute; bottom: 0; }
        .live-plot .from { left: 0; }
        .live-plot .top { position: absolute; top: 0; left: .3rem; background: var(--ground); }
        .live-plot .to { right: 0; }
        .events { margin: 0; padding: 0; list-style: none; max-height: 24rem; overflow-y: auto;
          font-size: .9rem; border: 1px solid var(--rule); }
        .events li { display: flex; flex-wrap: wrap; gap: .1rem .8rem; padding: .35rem .7rem;
          border-bottom: 1px solid var(--rule); border-left: 3px solid transparent; }
        .events li:last-child { border-bottom: none; }
        .events .warning { border-left-color: var(--c1); }
        .events .error { border-left-color: var(--c3); }
        .events time { color: var(--soft); }
        .events b { font-weight: 600; }
        @media (max-width: 34rem) { .live-plot svg { height: 7rem; } }
        @media (forced-colors: active) { .l { stroke: CanvasText; } }

        """
}
