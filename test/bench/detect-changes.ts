/** One change of address, seen by a daemon that runs. */
import { setTimeout as sleep } from 'node:timers/promises'
import { changeWanPrefix } from '../lab/home-networks.ts'
import type { Change } from '../lab/lab.ts'
import { WAN_PREFIX } from '../lab/plan.ts'
import { ip } from '../lab/run.ts'
import { between, noticed, nthAddress, type Round, type Stage } from './detect-stage.ts'

const FLAP = 2000
/** The bench reads the kernel's table every 2 ms, so the daemon may notice a change before the bench. */
const EARLY = 1000

export const changeWan =
  (mode: 'swap' | 'replace' | 'flap'): Round =>
  async (stage, nth) => {
    const change = await stage.lab.changeWan(nthAddress(nth), mode, FLAP)
    stage.truth.moved(change.now, change.at, mode === 'flap' ? change.at - FLAP : change.at)
    return [await noticed(stage, { address: change.now, at: change.at })]
  }

export const cgnat: Round = async (stage, nth) => {
  const { now: address, at } = await stage.lab.cgnat(nth % 2 === 0)
  stage.truth.moved(address, at)
  return [await noticed(stage, { address, at })]
}

const nthPrefix = (nth: number): string => `2a00:db8:100:${(nth + 2).toString(16)}`

/** Waits until the host can use its address in the new prefix. Told is when it could. */
async function usable({ lab, truth }: Stage, { now: address, at }: Change): Promise<number> {
  const since = await lab.usableAt(address)
  truth.moved(address, at, since)
  return since
}

export const changePrefix: Round = async (stage, nth) => {
  const change = await stage.lab.changePrefix(nthPrefix(nth))
  const at = await usable(stage, change)
  return [await noticed(stage, { address: change.now, at, early: EARLY })]
}

/** As at a provider's reconnection. Time counts until the last of the two has arrived. */
export const changeBoth: Round = async (stage, nth) => {
  const { wan, prefix } = await stage.lab.changeBoth(nthAddress(nth), nthPrefix(nth))
  stage.truth.moved(wan.now, wan.at)
  const at = await usable(stage, prefix)
  const [v4, v6] = await Promise.all([
    noticed(stage, { address: wan.now, at, early: at - wan.at }),
    noticed(stage, { address: prefix.now, at, early: EARLY }),
  ])
  const last = [v4, v6].find(({ took }) => took === undefined)
  return [last ?? ((v4.took ?? 0) > (v6.took ?? 0) ? v4 : v6)]
}

/** The router's own address, in another /64 of the WAN. */
export const changeOwnPrefix: Round = async (stage, nth) => {
  const [old = ''] = stage.truth.current('v6')
  const next = WAN_PREFIX.replace(/\d+$/, String(nth + 2))
  const { now: address, at } = await changeWanPrefix(stage.lab, old.replace(/::2$/, ''), next)
  stage.truth.moved(address, at)
  return [await noticed(stage, { address, at })]
}

/** Out and back within a second; what counts is that the first address is held again. */
export const flipBack: Round = async (stage, nth) => {
  const { lab, service, truth } = stage
  const swap = async (address: string): Promise<Change> => {
    const change = await lab.changeWan(address)
    truth.moved(address, change.at)
    return change
  }
  const home = await swap(nthAddress(2 * nth))
  const first = await noticed(stage, { address: home.now, at: home.at })
  await sleep(between([5000, 6000]))
  const away = await swap(nthAddress(2 * nth + 1))
  await sleep(Math.max(0, 900 - (Date.now() - away.at)))
  const back = await swap(home.now)
  const again = await noticed(stage, { address: home.now, at: back.at })
  // Where the other address was never sent, there is nothing to correct.
  const wasSent = service.arrivals.some(({ addresses }) => addresses.includes(away.now))
  return [{ ...first, isUntimed: true }, wasSent ? again : { ...again, took: again.took ?? 0 }]
}

/** Addresses of the host's own come and go, and the kernel reports each; the router changes its address after that. */
export const comeAndGo: Round = async (stage, nth) => {
  for (let time = 1; time <= 20; time++) {
    const address = `10.9.9.${time}/32`
    await ip(stage.lab.host, [`addr add ${address} dev eth0`])
    await sleep(250)
    await ip(stage.lab.host, [`addr del ${address} dev eth0`])
    await sleep(250)
  }
  return changeWan('swap')(stage, nth)
}
