/** A page in a browser without scripts. */
export interface BrowserPage {
  readonly status: number
  readonly html: string
  readonly location: string
}

export interface Browser {
  /** GET, or POST of a form with the token of the last page. */
  send(path: string, form?: Readonly<Record<string, string>>): Promise<BrowserPage>
  /** Opens the link of a message and submits its form. */
  follow(
    link: { readonly path: string; readonly code: string },
    more?: Readonly<Record<string, string>>,
  ): Promise<BrowserPage>
  /** The secrets that the last page shows once. */
  copied(): readonly string[]
}

const TOKEN = /name="token" value="([\w-]{54})"/
const COPIED = /<code class="copy"[^>]*>([^<]+)<\/code>/g

/** A browser with this peer address, set by a proxy header. Adds received secrets to `secrets`. */
export function browserAt(url: () => string, secrets: Set<string>, peer: string): Browser {
  let [cookie, token] = ['', '']
  let copied: readonly string[] = []
  const send: Browser['send'] = async (path, form) => {
    const response = await fetch(url() + path, {
      redirect: 'manual',
      headers: { cookie, origin: url(), 'x-forwarded-for': peer, 'user-agent': 'Browser/1.0' },
      ...(form && { method: 'POST', body: new URLSearchParams({ token, ...form }) }),
    })
    const [, next, secret] = /^(holdfast=([\w-]{43}))/.exec(response.headers.get('set-cookie') ?? '') ?? []
    if (next !== undefined && secret !== undefined) {
      cookie = next
      secrets.add(secret)
    }
    const html = await response.text()
    token = TOKEN.exec(html)?.[1] ?? token
    copied = [...html.matchAll(COPIED)].flatMap(([, text = '']) => text.split(/&#10;|\n/))
    return { status: response.status, html, location: response.headers.get('location') ?? '' }
  }
  return {
    send,
    follow: async ({ path, code }, more = {}) => {
      await send(path)
      return send(path, { code, ...more })
    },
    copied: () => copied,
  }
}
