import type { StatusReport } from '../../src/client/report/status.ts'
import { FAMILIES } from '../../src/net/address.ts'
import { IS_CONFIRMED, isForgotten, type Witness } from './judge.ts'
import { addressesIn, type UpdateService } from './update-service.ts'

/** One line of the log of the daemon. */
export interface Told {
  readonly now: number
  readonly msg: string
  readonly fields: Readonly<Record<string, unknown>>
}

type Finding = readonly [rule: string, because: string]

const SECOND = 1000
const MINUTE = 60 * SECOND

/** Truth, at each line of the log. */
// biome-ignore format: a table
/** What it tells, and when that is untrue. */
const TELLS: { readonly [msg: string]: (told: Told, witness: Witness) => Finding | undefined } = {
  'an outside source disagrees with the quorum and is ignored': ({ fields }, { home }) =>
    fields['reported'] === home.address && home.heldFor() > 15 * SECOND
      ? ['T1', `the address of the line is told to be wrong: ${String(fields['source'])}`] : undefined,
  'outside services see another line, such as a VPN; its address is not published': ({ now }, { home }) =>
    home.hadVpnSince(now - 10 * MINUTE) ? undefined : ['T2', 'a VPN is told of, and there is none'],
  'the router reports its public address': (_, { world }) =>
    ['announces', 'answers'].includes(world.home.router) ? undefined : ['T3', `the router is told to report its public address: ${world.home.router}`],
  'a source is paused': ({ now, fields }, { home, world }) =>
    world.home.liars.some((host) => String(fields['source']).includes(host)) || home.hadVpnSince(now - 10 * MINUTE) || now - home.touched < MINUTE
      ? undefined : ['T4', `an honest source is paused: ${String(fields['source'])}`],
}

export const toldAlarm = (told: Told, witness: Witness): Finding | undefined =>
  TELLS[told.msg]?.(told, witness)

/** T5: what is told to be confirmed is what the service has. An answer that was lost excuses it. */
export const statusAlarms = (
  { accounts }: StatusReport,
  { names, received }: UpdateService,
  { now, witness }: { readonly now: number; readonly witness: Witness },
): readonly Finding[] =>
  accounts.flatMap(({ hostnames }) =>
    hostnames.flatMap(({ hostname, confirmed }) =>
      FAMILIES.flatMap((family): readonly Finding[] => {
        const stored = names.get(hostname)?.[family]
        const told = confirmed[family]
        const last = received.findLast(
          ({ hostnames: sent, answer, myip }) =>
            sent.includes(hostname) && IS_CONFIRMED.test(answer) && addressesIn(myip)[family] === stored,
        )
        const inHand = last?.inHand ?? Infinity
        const isKnown = inHand < now - SECOND && !isForgotten(witness, inHand)
        if (told === undefined || told === stored || !isKnown) return []
        return [['T5', `${hostname} is told to be ${told}, and the service has ${stored ?? 'nothing'}`]]
      }),
    ),
  )
