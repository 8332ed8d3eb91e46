import { Secret } from '../net/secret.ts'

/** Whether the value of a parameter with this name is a secret. */
export const isSecretName = (name: string): boolean =>
  /pass|^pw|token|secret|^key$|[._-]key$|api.?key|auth|^sig(nature)?$/i.test(name)

/**
 * Items of a list as a complaint may show them. A part without a name may belong to the secret before it, because a comma
 * ends an item.
 */
export function shownItems(items: readonly string[]): readonly string[] {
  const nameOf = (item: string): string => item.split('=')[0] ?? ''
  const hasSecret = items.some((item) => item.includes('=') && isSecretName(nameOf(item)))
  return items.map((item) => {
    if (hasSecret && !item.includes('=')) return MASK
    return item.includes('=') && isSecretName(nameOf(item))
      ? `${nameOf(item)}=${MASK}`
      : item.replace(USERINFO, `//${MASK}@`)
  })
}

const MASK = String(new Secret(''))
/** A URL may contain a password. */
const USERINFO = /\/\/[^/]*@/
