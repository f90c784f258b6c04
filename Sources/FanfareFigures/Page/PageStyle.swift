/// The style of our pages.
enum PageStyle {
    /// The style sheet.
    ///
    /// It has no `<` and `&`, so that it is text in HTML and in XML. The colors of plots are those
    /// of Okabe and Ito ("Color Universal Design", 2008), which people with poor color vision can
    /// tell apart, made darker or lighter until they stand out from the ground by 3:1 (WCAG 2.2
    /// §1.4.11); text stands out by 4.5:1 and more (§1.4.3).
    static let sheet: StaticString = """

        :root { color-scheme: light dark;
          --ground: #fdfdfc; --raised: #f3f3f0; --text: #1c1d1f; --soft: #5a5d62; --rule: #d9d9d4;
          --accent: #0060a0;
          --c0: #0060a0; --c1: #b36b00; --c2: #8a7a00; --c3: #c24a00; --c4: #2a86c4; --c5: #1c1d1f;
          --c6: #a8487f; --c7: #6a51a3; --c8: #7b7e83; }
        @media (prefers-color-scheme: dark) { :root {
          --ground: #141618; --raised: #1e2124; --text: #e8e8e4; --soft: #a3a7ad; --rule: #383c41;
          --accent: #7cbcf0;
          --c0: #5aa9e6; --c1: #f0a63a; --c2: #e5d84f; --c3: #f2793a; --c4: #9fd3f5; --c5: #e8e8e4;
          --c6: #dd8fbd; --c7: #b3a2ea; --c8: #8b9096; } }
        * { box-sizing: border-box; }
        html { -webkit-text-size-adjust: 100%; }
        body { margin: 0 auto; padding: 2.5rem 1.25rem 3rem; max-width: 64rem; color: var(--text);
          background: var(--ground); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto,
          "Noto Sans", "Helvetica Neue", Arial, sans-serif; font-variant-numeric: tabular-nums;
          overflow-wrap: anywhere; }
        h1 { margin: 0; font-size: 1.75rem; line-height: 1.2; font-weight: 650;
          letter-spacing: -0.01em; }
        header p { margin: .4rem 0 0; color: var(--soft); }
        h2 { margin: 0 0 .75rem; font-size: 1.125rem; line-height: 1.3; font-weight: 650; }
        h3 { margin: 0; font-size: 1rem; font-weight: 600; }
        section { margin-top: 2.25rem; padding-top: 1.25rem; border-top: 1px solid var(--rule); }
        .note { margin: -.4rem 0 1rem; color: var(--soft); font-size: .9rem; max-width: 46rem; }
        .alert { margin: 1.25rem 0 0; padding: .6rem .9rem; border-left: 3px solid var(--c3);
          background: var(--raised); }
        footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--rule);
          color: var(--soft); font-size: .85rem; }
        .figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr));
          gap: 1.25rem 1.5rem; margin: 1.75rem 0 0; }
        .figures dt { color: var(--soft); font-size: .85rem; }
        .figures dd { margin: 0; }
        .figures b { display: block; font-size: 1.5rem; line-height: 1.25; font-weight: 600; }
        .figures small { display: block; color: var(--soft); font-size: .85rem; line-height: 1.35; }
        figure { margin: 0 0 2rem; }
        figure:last-child { margin-bottom: 0; }
        figcaption p { margin: .1rem 0 0; color: var(--soft); font-size: .9rem; max-width: 46rem; }
        .legend { display: flex; flex-wrap: wrap; gap: .15rem 1.1rem; margin: .5rem 0 0; padding: 0;
          list-style: none; font-size: .85rem; }
        .legend svg { width: 1.4rem; height: .7rem; margin-right: .4rem; }
        .plot { display: grid; grid-template-columns: max-content minmax(0, 1fr);
          column-gap: .5rem; margin-top: .7rem; font-size: .8rem; line-height: 1;
          color: var(--soft); }
        .plot > svg { grid-column: 2; display: block; width: 100%; height: 13rem;
          overflow: visible; }
        .y { position: relative; grid-column: 1; min-width: 3.4rem; }
        .y span { position: absolute; right: 0; transform: translateY(50%); white-space: nowrap; }
        .y i { display: block; height: 0; overflow: hidden; font-style: normal; }
        .x { position: relative; grid-column: 2; height: 1.5rem; }
        .x span { position: absolute; top: .5rem; transform: translateX(-50%);
          white-space: nowrap; }
        .x span:first-child { transform: none; }
        .x span.e { transform: translateX(-100%); }
        .plot svg path, .plot svg line { vector-effect: non-scaling-stroke; }
        .g { stroke: var(--rule); stroke-width: 1; fill: none; }
        .l { fill: none; stroke-width: 1.75; stroke-linejoin: round; }
        .d1 { stroke-dasharray: 6 3; } .d2 { stroke-dasharray: 2 2.5; }
        .d3 { stroke-dasharray: 8 3 2 3; }
        .m { stroke: var(--text); stroke-width: 1; stroke-dasharray: 2 2; }
        .a { stroke: var(--ground); stroke-width: .5; }
        .l0 { stroke: var(--c0); } .l1 { stroke: var(--c1); } .l2 { stroke: var(--c2); }
        .l3 { stroke: var(--c3); } .l4 { stroke: var(--c4); } .l5 { stroke: var(--c5); }
        .l6 { stroke: var(--c6); } .l7 { stroke: var(--c7); } .l8 { stroke: var(--c8); }
        .f0 { fill: var(--c0); } .f1 { fill: var(--c1); } .f2 { fill: var(--c2); }
        .f3 { fill: var(--c3); } .f4 { fill: var(--c4); } .f5 { fill: var(--c5); }
        .f6 { fill: var(--c6); } .f7 { fill: var(--c7); } .f8 { fill: var(--c8); }
        .scroll { overflow-x: auto; }
        .alert + .scroll { margin-top: 1rem; }
        table { border-collapse: collapse; width: 100%; font-size: .9rem; }
        caption { position: absolute; width: 1px; height: 1px; overflow: hidden;
          clip-path: inset(50%); }
        th, td { padding: .3rem .9rem .3rem 0; border-bottom: 1px solid var(--rule);
          text-align: left; vertical-align: top; font-weight: 400; }
        thead th { color: var(--soft); font-size: .85rem; vertical-align: bottom; }
        .n { text-align: right; white-space: nowrap; }
        th:last-child, td:last-child { padding-right: 0; }
        .wide { overflow-wrap: normal; }
        @media (max-width: 66rem) {
          .wide thead { display: none; }
          .wide tr { display: grid; gap: .5rem 1rem; padding: .7rem 0;
            grid-template-columns: repeat(auto-fill, minmax(8rem, 1fr));
            border-bottom: 1px solid var(--rule); }
          .wide td { display: block; padding: 0; border: 0; text-align: left; }
          .wide td:empty { display: none; }
          .wide td::before { content: attr(data-label); display: block; color: var(--soft);
            font-size: .85rem; }
        }
        .bar { width: 34%; vertical-align: middle; }
        .bar svg { display: block; width: 100%; height: .75rem; }
        .bars .t { min-width: 7rem; }
        .bars small { margin: 0; font-size: .85rem; }
        details { margin-top: .6rem; font-size: .9rem; }
        summary { width: max-content; max-width: 100%; color: var(--accent); cursor: pointer; }
        details[open] > summary { margin-bottom: .4rem; }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
        pre { margin: .5rem 0 0; padding: .7rem .9rem; background: var(--raised);
          white-space: pre-wrap; overflow-wrap: anywhere; }
        .w { white-space: nowrap; }
        code { font: .9em/1.45 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono",
          monospace; }
        @media (max-width: 34rem) {
          body { padding: 1.5rem 1rem 2rem; }
          h1 { font-size: 1.45rem; }
          .figures { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1rem; }
          .figures b { font-size: 1.25rem; }
          .plot > svg { height: 10rem; }
          .x span.h { display: none; }
          .bars .bar { display: none; }
          .bars small { display: block; }
          th, td { padding-right: .6rem; }
        }
        @media print { body { max-width: none; padding: 0; } section { break-inside: avoid; } }

        """
}
