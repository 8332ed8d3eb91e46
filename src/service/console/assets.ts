import { createHash } from 'node:crypto'
import { STYLE } from '../../shared/html/style.ts'

/** The style of the console: its own parts, with the tokens of every page. */
const CONSOLE_STYLE = `${STYLE}header,main{max-width:var(--width);margin:0 auto;padding:0 var(--space-m)}
header{display:flex;flex-wrap:wrap;align-items:center;gap:var(--space-s) var(--space-l);padding-top:var(--space-m)}
.brand{margin:0;font-size:var(--text-l);font-weight:650}
.brand a{display:flex;align-items:center;gap:var(--space-s);color:inherit;text-decoration:none}
nav{flex:1}nav ul{display:flex;flex-wrap:wrap;gap:var(--space-xs)}
nav a{display:block;padding:.4rem .75rem;border-radius:.4rem;text-decoration:none;font-weight:600}
nav a[aria-current]{background:var(--card);box-shadow:inset 0 0 0 1px var(--line);color:var(--text)}
.who{display:flex;align-items:center;gap:var(--space-s)}
main{padding-bottom:var(--space-l)}
main:focus,.note:focus{outline:0}
footer{max-width:var(--width);margin:0 auto;padding:0 var(--space-m) var(--space-l);font-size:var(--text-s)}
main>h1{font-size:1.75rem;letter-spacing:-.01em;margin:var(--space-l) 0 var(--space-m)}
section,.note{background:var(--card);border:1px solid var(--line);border-radius:var(--radius);padding:var(--space-m);
margin:var(--space-m) 0}
section>h2{margin-bottom:var(--space-m);font-size:1.125rem}section table{margin-bottom:var(--space-m)}
section>:last-child{margin-bottom:0}
.note{border-left:4px solid currentColor}.note>*{color:var(--text)}.note h2{color:inherit}
.state{font-weight:600;white-space:nowrap}
.address{font:600 var(--text-xl)/1.2 var(--mono);margin:0;letter-spacing:-.02em}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
label,legend{font-weight:500}
fieldset{border:0;padding:0;margin:0 0 var(--space-m)}
.field{margin:0 0 var(--space-m)}
.choice{display:flex;gap:var(--space-s);align-items:center;min-height:2rem}.choice label{font-weight:400}
input:not([type=checkbox],[type=radio],[type=hidden]),select,textarea{font:inherit;color:var(--text);background:var(--bg);
border:1px solid var(--soft);border-radius:.4rem;padding:.4rem .6rem;min-height:2.25rem;width:100%;max-width:32rem;
display:block;margin-top:var(--space-xs)}
textarea,.value{font-family:var(--mono);font-size:var(--text-s);max-width:none}
[aria-invalid]{border-color:var(--bad);outline:1px solid var(--bad)}
input:focus-visible,select:focus-visible,textarea:focus-visible{outline:3px solid var(--link);outline-offset:1px}
a.button{display:inline-block;font-weight:600;color:var(--on-button);background:var(--button);border-radius:.4rem;
padding:.45rem .9rem;min-height:2.5rem;text-decoration:none}button{min-height:2.5rem}
button.quiet,button.danger,a.quiet{background:none;color:var(--link);box-shadow:inset 0 0 0 1px var(--line)}
button.danger{color:var(--bad)}
.row{display:flex;flex-wrap:wrap;gap:var(--space-s);align-items:end}.row .field{margin:0;flex:1 1 10rem}
.row form{margin:0}form.row{margin:0 0 var(--space-m)}section>p+form{margin-top:var(--space-s)}
section>form+form{margin-top:var(--space-m)}
input[type=checkbox]{accent-color:var(--button);width:1.5rem;height:1.5rem;vertical-align:middle;margin:0}
select{height:2.5rem}input:not([type=checkbox],[type=radio],[type=hidden]){height:2.5rem}
.counts{display:flex;flex-wrap:wrap;gap:var(--space-s) var(--space-m);margin:0 0 var(--space-m)}
.counts a{text-decoration:none}.counts [aria-current]{text-decoration:underline;text-underline-offset:.3em}
dl{margin:0}dl div{display:grid;grid-template-columns:12rem 1fr;gap:0 var(--space-m);padding:.35rem 0;
border-top:1px solid var(--line)}dl div:first-child{border-top:0}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
code{font:var(--text-s) var(--mono);overflow-wrap:anywhere}
pre{background:var(--bg);border-radius:.4rem;padding:var(--space-s) var(--space-m);white-space:pre-wrap;
margin:var(--space-s) 0}
dd .copy{font-weight:600;font-size:var(--text-m)}
.links{display:flex;flex-wrap:wrap;gap:var(--space-xs) var(--space-l)}
.records td{padding-right:var(--space-s)}.records td:first-child{width:8rem}.records td:nth-child(2){width:7rem;min-width:0}
.records input,.records select{margin:0;min-width:4.5rem}
del{color:var(--bad)}ins{color:var(--ok);text-decoration:none}
details{margin:var(--space-s) 0}summary{font-weight:500;padding:.25rem 0}details[open]{margin-bottom:var(--space-m)}
.pages{display:flex;gap:var(--space-m);margin-top:var(--space-m)}
@media (max-width:50rem){.records td:nth-child(n){width:auto}td:empty{display:none}nav a{padding:.4rem .45rem}nav ul{gap:0}
dl div{grid-template-columns:1fr}header{gap:var(--space-s)}nav{order:3;flex-basis:100%}
.who{margin-left:auto}}
`

/** What a page loads. */
export interface Asset {
  readonly path: string
  readonly type: string
  readonly text: string
}

const ENDINGS = { css: 'css', javascript: 'js' } as const

/** With a path that changes with its content. */
export function assetOf(name: string, kind: keyof typeof ENDINGS, text: string): Asset {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12)
  return {
    path: `/console/${name}-${digest}.${ENDINGS[kind]}`,
    type: `text/${kind}; charset=utf-8`,
    text,
  }
}

export const STYLESHEET = assetOf('style', 'css', CONSOLE_STYLE)

/** A disc with a tick. */
const DISC =
  '<circle cx="16" cy="16" r="15" fill="#1a7f37"/><path d="M9 16.5l5 5 9-10" fill="none" stroke="#fff" stroke-width="4" ' +
  'stroke-linecap="round" stroke-linejoin="round"/>'

export const ICON: Asset = {
  path: '/console/icon.svg',
  type: 'image/svg+xml',
  text: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${DISC}</svg>`,
}
