extension PageStyle {
    /// The style of notifications as phones show them, on a light and on a dark ground.
    ///
    /// The grounds do not follow the reader's scheme: both are to be seen.
    static let phoneSheet: StaticString = """
        .phones { display: grid; grid-template-columns: repeat(auto-fit, minmax(15.5rem, 1fr));
          gap: .9rem; margin-top: .7rem; }
        .phone { padding: 1rem .8rem; border-radius: .6rem; line-height: 1.35; }
        .lt { background: #ccd6e2; color: #121314; --card: #f7f7f8; --soft: #595d63; }
        .dk { background: #1b2430; color: #f2f2f3; --card: #33373d; --soft: #b4b8be; }
        .card { display: grid; grid-template-columns: 2.3rem minmax(0, 1fr) max-content;
          gap: .7rem; padding: .75rem .9rem; background: var(--card); font-size: .92rem; }
        .ios .card { border-radius: 1.15rem; }
        .android .card { border-radius: 1.6rem; }
        .card i { width: 2.3rem; height: 2.3rem; background: var(--c0); }
        .ios .card i { border-radius: .55rem; }
        .android .card i { border-radius: 50%; }
        .card small { color: var(--soft); font-size: .8rem; }
        .card p { margin: 0; overflow: hidden; }
        .card .b, .card .u { font-weight: 650; white-space: nowrap; text-overflow: ellipsis; }
        .card .s { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 4; }
        .android .card .s { -webkit-line-clamp: 6; }

        """
}
