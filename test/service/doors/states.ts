import { Secret, TOTP } from 'otpauth'
import { DDNS_KEY, type DoorsWorld, ACCOUNT, PASSWORD, REQUEST_LIMIT } from './world.ts'
import { basic, sendUpdate } from './requests.ts'

type Step = (world: DoorsWorld) => Promise<void>

const admin =
  (...lines: readonly string[]): Step =>
  async (world) => {
    for (const line of lines) await world.admin(line)
  }

/** An authenticator app, set as a person sets it: the account has no factor yet, so its password may. */
const factor: Step = async ({ url, store, accountId }) => {
  // A passkey is one.
  if (await store.read(async (r) => r.hasFactor(accountId))) return
  const ask = async (path: string, body: object) => {
    const response = await fetch(`${url}/v1/account/second-factors/${path}`, {
      method: 'POST',
      headers: { authorization: basic(ACCOUNT, PASSWORD), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const answer = (await response.json()) as {
      readonly data?: { readonly id: number; readonly secret: string }
    }
    if (!response.ok) throw new Error(`the factor is not set: ${JSON.stringify(answer)}`)
    return answer.data
  }
  const made = await ask('totp', {})
  const code = new TOTP({ secret: Secret.fromBase32(made?.secret ?? '') }).generate()
  await ask(`${made?.id}/confirm`, { code })
}

/** As many requests as the limit allows, and one more, by the DDNS key and by the account itself. */
const abuse: Step = async (world) => {
  for (const [username, password] of [
    [DDNS_KEY.username, DDNS_KEY.password],
    [ACCOUNT, PASSWORD],
  ] as const) {
    const words: string[] = []
    for (let n = 0; n <= REQUEST_LIMIT; n++)
      words.push((await sendUpdate(world, { authorization: basic(username, password) }, '192.0.2.1')).word)
    if (words.at(-1) !== 'abuse') throw new Error(`no block: ${words.join()}`)
  }
}

/** Every state of the table; what is asked at the doors is in `asks` of doors.ts. */
// biome-ignore format: a table
export const STATES: Readonly<Record<string, readonly Step[]>> = {
  active:           [],
  suspended:        [admin(`account suspend ${ACCOUNT}`)],
  'account-block':  [admin(`block ${ACCOUNT}`)],
  'website-only':   [admin(`account set ${ACCOUNT} website-only=yes`)],
  factor:           [factor],
  demanded:         [admin('plan set basic second-factor=yes')],
  'demanded-set':   [factor, admin('plan set basic second-factor=yes')],
  'factor-suspended': [factor, admin(`account suspend ${ACCOUNT}`)],
  'factor-website': [factor, admin(`account set ${ACCOUNT} website-only=yes`)],
  'factor-no-offline': [factor, admin('plan set basic offline=no')],
  'abuse-block':    [abuse],
  'key-block':      [admin(`block ${DDNS_KEY.username}`)],
  attach:           [],
  'key-lock':       [admin(`key lock ${DDNS_KEY.username}`)],
  // The key itself expires: see credentials.ts.
  expired:          [],
  offline:          [],
  'no-offline':     [admin('plan set basic offline=no')],
  'no-type':        [admin('plan set basic types=AAAA')],
}

/** What a state asks at a door, where it is not a change of an address. */
export const ASKS: Readonly<Record<string, 'offline' | 'attach'>> = {
  'factor-no-offline': 'offline',
  offline: 'offline',
  'no-offline': 'offline',
  attach: 'attach',
  'key-lock': 'attach',
}
