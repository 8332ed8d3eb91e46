/** The router reports the right address, and outside sources do not confirm it: the uplink is down, or a VPN hides it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { outboundRoute } from '../lab/home-networks.ts'
import type { Change } from '../lab/lab.ts'
import { vpnDown, vpnUp } from '../lab/vpn.ts'
import { noticed, nthAddress, type Round, type Stage } from './detect-stage.ts'

async function swap({ lab, truth }: Stage, nth: number): Promise<Change> {
  const change = await lab.changeWan(nthAddress(nth))
  truth.moved(change.now, change.at)
  return change
}

const OUTAGES = [7000, 12_000, 20_000] as const

/** The router announces its new address immediately; the time counts from the return of the uplink. */
export const wayOutLate: Round = async (stage, nth) => {
  await outboundRoute(stage.lab, false)
  const { now: address } = await swap(stage, nth)
  await sleep(OUTAGES[nth % OUTAGES.length] ?? 0)
  const at = await outboundRoute(stage.lab, true)
  return [await noticed(stage, { address, at })]
}

/**
 * From the VPN being up until the change, long enough for a wrong address to be sent; and how long nothing may be sent
 * after it.
 */
const [UP, QUIET]: [Readonly<Record<'def1' | 'replaced', number>>, number] = [
  { def1: 16_000, replaced: 4000 },
  3000,
]

/**
 * A VPN comes up, the router's address changes, the VPN goes down, the address changes again. With the default route
 * replaced the router is no gateway any more, so the first change may wait for the VPN to end.
 */
export const vpnUpDown: Round = async (stage, nth) => {
  const { lab, service } = stage
  const routes = nth % 2 === 0 ? 'def1' : 'replaced'
  await vpnUp(lab, routes)
  await sleep(UP[routes])
  const during = await swap(stage, 2 * nth)
  const inside = await noticed(stage, { address: during.now, at: during.at })
  const down = await vpnDown(lab, routes)
  const isSent = inside.took !== undefined
  await sleep(QUIET)
  const needless = service.arrivals.filter(({ at }) => at >= down)
  const settled =
    isSent || routes === 'def1'
      ? inside
      : await noticed(stage, { address: during.now, at: down, early: down - during.at })
  const after = await swap(stage, 2 * nth + 1)
  const fault = isSent && needless.length > 0 ? `${needless.length} sent when the VPN went down` : undefined
  return [
    { ...settled, fault, ...(routes === 'replaced' && { isUntimed: true }) },
    { ...(await noticed(stage, { address: after.now, at: after.at })), isUntimed: true },
  ]
}
