import PatchText

/// One page of HTML. It needs no other file, script, font or image.
enum HTMLPage {
    /// - Parameter body: The content, as HTML.
    static func text(title: String, lead: String, body: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta http-equiv="Content-Security-Policy" content="\(policy)">
        <title>\(title.html)</title>
        <style>
        \(style)
        </style>
        </head>
        <body>
        <header>
        <h1>\(title.html)</h1>
        <p>\(lead.html)</p>
        </header>
        <main>
        \(body)
        </main>
        </body>
        </html>

        """
    }

    /// Nothing is fetched, no form is sent, and no base is set. `sandbox` has no effect inside a page, so a server must
    /// send it (HTML Standard, 4.2.5.3).
    private static let policy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"

    private static let style = """
        :root { color-scheme: light dark; --text: #1d2129; --faint: #5d6673; --line: #d8dce2; --back: #fff; --card: #f6f7f9;
          --good: #1a7f37; --bad: #c62828; --c0: #2862c9; --c1: #b3510b; --c2: #7b3fc4; --c3: #0d7d74; --c4: #b0307c; --c5: #6b6f00; }
        @media (prefers-color-scheme: dark) { :root { --text: #e8eaee; --faint: #9aa4b2; --line: #39404a; --back: #15181d; --card: #1d2127;
          --good: #57c173; --bad: #ff7b72; --c0: #7aa7ff; --c1: #f0a35e; --c2: #bf9cff; --c3: #4fc9bd; --c4: #f58cc5; --c5: #c9cc4e; } }
        * { box-sizing: border-box; }
        body { margin: 0 auto; max-width: 68rem; padding: 1.5rem 1rem; font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); }
        h1 { font-size: 1.6rem; margin: 0; } h2 { font-size: 1.15rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
        header p { color: var(--faint); margin: .25rem 0 1.25rem; }
        .gates { list-style: none; padding: 0; margin: 0 0 1.25rem; } .gates li { color: var(--text); padding: .5rem .75rem; border-left: .3rem solid; margin-bottom: .4rem; background: var(--card); overflow-wrap: anywhere; }
        .gates .passed { border-color: var(--good); } .gates .passed b { color: var(--good); }
        .gates .crossed { border-color: var(--bad); } .gates .crossed b { color: var(--bad); } .gates .undecided { border-color: var(--faint); }
        .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1rem; align-items: start; }
        figure, section { margin: 0; padding: 1rem; background: var(--card); border-radius: .5rem; break-inside: avoid; }
        section { margin-top: 1rem; } figcaption { font-weight: 600; margin-bottom: .5rem; }
        svg { width: 100%; height: auto; display: block; font: 12px system-ui, sans-serif; }
        svg text { fill: var(--faint); } svg .name { fill: var(--text); } .grid { stroke: var(--line); stroke-width: 1; }
        .curve { fill: none; stroke-width: 2.5; stroke-linejoin: round; }
        .c0 { color: var(--c0); } .c1 { color: var(--c1); } .c2 { color: var(--c2); } .c3 { color: var(--c3); } .c4 { color: var(--c4); } .c5 { color: var(--c5); }
        .ink { stroke: currentColor; } .fill { fill: currentColor; } .bad { color: var(--bad); } .good { color: var(--good); } .rest { color: var(--faint); }
        table { border-collapse: collapse; width: 100%; } th { text-align: left; font-weight: 400; color: var(--faint); vertical-align: top; width: 9rem; padding: .1rem 1rem .1rem 0; }
        td { overflow-wrap: anywhere; white-space: pre-wrap; padding: .1rem 0; font-variant-numeric: tabular-nums; }
        .gate { stroke: var(--bad); stroke-dasharray: 4 3; }
        .off { padding: .75rem; background: var(--bad); color: var(--back); font-weight: 700; border-radius: .5rem; }
        .feed { list-style: none; padding: 0; } .feed li { margin-bottom: .5rem; overflow-wrap: anywhere; }
        details { margin-top: 1rem; } summary { cursor: pointer; margin-bottom: .5rem; }
        @media (max-width: 40rem) { svg { font-size: 15px; } }
        @media print { body { max-width: none; padding: 0; font-size: 11px; } .charts { grid-template-columns: 1fr 1fr; } figure, section { background: none; border: 1px solid var(--line); } }
        """
}

extension StringProtocol {
    var html: String { Escape.html(self) }
}
