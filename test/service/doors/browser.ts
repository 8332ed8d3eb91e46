import type { Authenticator } from '../auth/authenticator.ts'
import { ACCOUNT, type DoorsWorld } from './world.ts'

interface Shown {
  readonly status: number
  /** The last part of the path that it leads to. */
  readonly to: string | undefined
  readonly html: string
}

type Key = { readonly password: string } | { readonly key: string } | { readonly passkey: Authenticator }

const TOKEN = /name="token" value="([\w-]+)"/

/** A browser at the console, by sockets. It sends the token of the page that it saw last, as a form does. */
export function browserAt({ url }: Pick<DoorsWorld, 'url'>) {
  let [cookie, token] = ['', '']
  const send = async (path: string, form?: Readonly<Record<string, string>>): Promise<Shown> => {
    const response = await fetch(`${url}${path}`, {
      method: form === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: {
        'accept-language': 'en',
        origin: url,
        ...(cookie !== '' && { cookie }),
        ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(form !== undefined && { body: new URLSearchParams({ token, ...form }).toString() }),
    })
    const html = await response.text()
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie
    token = TOKEN.exec(html)?.[1] ?? token
    const location = response.headers.get('location')?.replace(/\?.*/, '')
    return { status: response.status, to: location?.split('/').at(-1), html }
  }
  return {
    send,
    cookie: () => cookie,
    signIn: async (by: Key): Promise<Shown> => {
      if ('key' in by) return send('/console/sign-in', { key: by.key })
      if ('password' in by) return send('/console/sign-in', { account: ACCOUNT, password: by.password })
      const page = await send('/console/sign-in')
      const [, options = ''] = /data-options="([^"]+)"/.exec(page.html) ?? []
      const asked = JSON.parse(options.replaceAll('&quot;', '"').replaceAll('&#34;', '"')) as object
      return send('/console/sign-in', { credential: JSON.stringify(by.passkey.get(asked)) })
    },
  }
}

export type DoorsBrowser = ReturnType<typeof browserAt>
