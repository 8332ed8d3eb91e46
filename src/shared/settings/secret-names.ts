import { Secret } from '../base/secret.ts'

/** Whether the value of a parameter with this name is a secret. */
export const isSecretName = (name: string): boolean =>
  /pass|^pw|^pin$|psk|token|secret|key|cred|hash|hmac|jwt|otp|auth|bearer|session|digest|^sig|^sid$|^code$|^[kt]$/i.test(
    name,
  )

/**
 * Items of a list as a complaint may show them. What follows a secret may belong to it, because a comma ends an item.
 */
export function shownItems(items: readonly string[]): readonly string[] {
  const first = items.findIndex((item) => item.includes('=') && isSecretName(item.split('=')[0] ?? ''))
  return items.map((item, at) => {
    if (first >= 0 && at > first) return MASK
    return at === first ? item.replace(/=.*/s, `=${MASK}`) : item.replace(USERINFO, `//${MASK}@`)
  })
}

/** The same for items NAME=VALUE that are refused: any of them may be a secret in a wrong form. */
export const namesOfItems = (items: readonly string[]): readonly string[] =>
  items.map((item) => (item.includes('=') ? item.replace(/=.*/s, `=${MASK}`) : MASK))

const MASK = String(new Secret(''))
/** A URL may contain a password. */
const USERINFO = /\/\/[^/]*@/
