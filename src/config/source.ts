import { type Result, err, ok } from '../base/result.ts'
import type { Addresses } from '../net/address.ts'

/** A way of learning the public address, as the user writes it. */
export type SourceSpec =
  | { readonly kind: 'given'; readonly addresses: Addresses }
  | { readonly kind: 'interface'; readonly interface?: string }
  | { readonly kind: 'echo'; readonly url: string; readonly field?: string }

/** "interfaces", "interface:eth0", "https://…", or "https://…#ip" where the fragment names the JSON member. */
export function parseSource(text: string): Result<SourceSpec, string> {
  if (text === 'interfaces') return ok({ kind: 'interface' })
  const [, name] = /^interface:([^\s/]{1,15})$/.exec(text) ?? []
  if (name !== undefined) return ok({ kind: 'interface', interface: name })
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    return err('is neither "interfaces", "interface:NAME" nor an http(s) address')
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') return err('holds credentials')
  const field = fragmentOf(url)
  if (field === undefined) return err('holds a broken escape in its fragment')
  url.hash = ''
  return ok({ kind: 'echo', url: url.href, ...(field !== '' && { field }) })
}

function fragmentOf(url: URL): string | undefined {
  try {
    return decodeURIComponent(url.hash.slice(1))
  } catch {
    return undefined
  }
}

/** The inverse. */
export function formatSource(spec: SourceSpec): string {
  if (spec.kind === 'given') return 'given'
  if (spec.kind === 'interface')
    return spec.interface === undefined ? 'interfaces' : `interface:${spec.interface}`
  return spec.field === undefined ? spec.url : `${spec.url}#${encodeURIComponent(spec.field)}`
}
