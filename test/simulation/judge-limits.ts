import { PUBLIC_SERVICES } from '../../src/client/detect/sources/services.ts'
import { FAMILIES } from '../../src/shared/base/address.ts'
import type { Finding } from './judge.ts'
import type { Machine, Run } from './machine.ts'
import { addressesIn, type Received } from './update-service.ts'

const HOUR = 3_600_000

/** S7: timers and answers under way of a process that has nothing to do. */
export const MAX_WAITING = 80

/** What the saved state says of a hostname, as far as S8 needs it. */
interface SavedHost {
  readonly confirmed?: Readonly<Record<string, string>>
  readonly unanswered?: { readonly addresses?: Readonly<Record<string, string>> }
}

/** S8: when a request arrives, the disk has what was sent: else a kill would leave it in doubt without a record. */
export function unsaved({ hostnames, myip }: Received, { files }: Machine): readonly Finding[] {
  const saved = [...files].flatMap(([path, text]) => (path.endsWith('/state.json') ? hostsIn(text) : []))
  const sent = addressesIn(myip)
  const isSaved = (name: string): boolean =>
    saved.some((hosts) =>
      FAMILIES.every((family) => {
        const { confirmed, unanswered } = hosts[name] ?? {}
        return [undefined, confirmed?.[family], unanswered?.addresses?.[family]].includes(sent[family])
      }),
    )
  return hostnames.every(isSaved) ? [] : [['S8', `${myip} is sent, and the disk does not have it`]]
}

function hostsIn(text: string): readonly Readonly<Record<string, SavedHost>>[] {
  try {
    // The first record: the one after it has only stops and waits.
    const { accounts } = JSON.parse(text.replace(/\n\}\n[^]*$/, '\n}')) as {
      accounts: Record<string, { hosts: Record<string, SavedHost> }>
    }
    return Object.values(accounts).map(({ hosts }) => hosts)
  } catch {
    return []
  }
}

/** Of each service outside: the questions that one process may ask it in an hour. */
const MOST: ReadonlyMap<string, number> = new Map(
  PUBLIC_SERVICES.map(({ spec, cooldown, burst = 1 }) => {
    const host = spec.kind === 'stun' ? spec.host : spec.kind === 'dns' ? spec.server : hostOf(spec)
    return [host, HOUR / cooldown + burst]
  }),
)

function hostOf(spec: object): string {
  return 'url' in spec ? new URL(String(spec.url)).hostname : ''
}

/** S9: how often the services outside are asked. */
export class Questions {
  readonly #asked = new Map<string, number[]>()

  add(run: Run, host: string, now: number): Finding | undefined {
    const key = `${run.nth} ${host}`
    const recent = (this.#asked.get(key) ?? []).filter((at) => at > now - HOUR)
    recent.push(now)
    this.#asked.set(key, recent)
    const most = FAMILIES.length * (MOST.get(host) ?? 0)
    return recent.length > most
      ? ['S9', `${host} is asked ${recent.length} times in an hour, and not ${most}`]
      : undefined
  }
}
