import type { AccountJob } from '../../agent/loop-state.ts'
import { accountOf, hostOf, type State } from '../../decide/state.ts'
import { type Address, type Family, FAMILY_NAMES } from '../../../shared/base/address.ts'
import type { Sighting } from '../../../shared/base/sighting.ts'
import { isHolding } from '../../../shared/protocol/request-form.ts'

/** What an update would send for one hostname, as a sentence. */
export interface WouldSend {
  readonly hostname: string
  readonly message: string
}

/** Looks as an update does, and compares with what the state has confirmed. */
export async function wouldSend(
  jobs: readonly AccountJob[],
  state: State,
  signal: AbortSignal,
): Promise<readonly WouldSend[]> {
  const ofJobs = jobs.map(async ({ desired, source, sources }) =>
    Promise.all(
      desired.hostnames.map(async (hostname) => {
        const { confirmed } = hostOf(accountOf(state, desired.account), hostname)
        const looks = await Promise.all(
          desired.families.map(async (family): Promise<Look> => {
            const sighting = await (sources?.[hostname] ?? source).look(family, signal)
            return { family, sighting, confirmed: confirmed[family] }
          }),
        )
        return { hostname, message: messageFor(looks, isHolding(desired.form.absentFamily)) }
      }),
    ),
  )
  return (await Promise.all(ofJobs)).flat()
}

interface Look {
  readonly family: Family
  readonly sighting: Sighting
  readonly confirmed: Address | undefined
}

const addressIn = ({ sighting }: Look): Address | undefined =>
  sighting.kind === 'seen' ? sighting.address : undefined

function messageFor(looks: readonly Look[], mustHaveAll: boolean): string {
  const seen = looks.filter((look) => addressIn(look) !== undefined)
  if (seen.length === 0) return `nothing would be sent: no address was found${reasonIn(looks)}`
  const changes = seen.filter((look) => addressIn(look) !== look.confirmed)
  if (changes.length === 0) return 'nothing would be sent: each address found is already confirmed'
  const before = changes.flatMap(({ confirmed }) => confirmed ?? [])
  const was = before.length === 0 ? 'nothing is confirmed' : `${before.join(' and ')} is confirmed`
  const message = `${changes.map(addressIn).join(' and ')} would be sent, because ${was}`
  const unknown = looks.filter((look) => addressIn(look) === undefined && look.confirmed === undefined)
  return mustHaveAll && unknown.length > 0 ? `${message}; ${heldText(unknown)}` : message
}

function reasonIn(looks: readonly Look[]): string {
  const [because] = looks.flatMap(({ sighting }) => (sighting.kind === 'unknown' ? sighting.because : []))
  return because === undefined ? '' : `; ${because}`
}

const heldText = (looks: readonly Look[]): string =>
  `but nothing is sent while ${looks.map(({ family }) => FAMILY_NAMES[family]).join(' and ')} is unknown, ` +
  'because the service would delete or spoil its record (absent_family)'
