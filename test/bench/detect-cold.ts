/** A daemon that starts where something is still missing: the link, the way out, the name server. */
import { setTimeout as sleep } from 'node:timers/promises'
import { outboundRoute } from '../lab/home-networks.ts'
import { LAN_ROUTER } from '../lab/plan.ts'
import { now } from '../lab/run.ts'
import type { Daemon } from './detect-parties.ts'
import { between, launch, noticed, nthAddress, type Round, type Stage } from './detect-stage.ts'
import { watchForNetwork } from './detect-start.ts'

const WITHOUT_WAY_OUT = 11_000
const WITHOUT_NAMES = 10_000
const HIJACKED = 15_000

/** The router has an address that the service has not seen, and a daemon has just been started. */
async function started(
  stage: Stage,
  nth: number,
): Promise<{ readonly daemon: Daemon; readonly address: string }> {
  const { at, now: address } = await stage.lab.changeWan(nthAddress(nth))
  stage.truth.moved(address, at)
  return { daemon: launch(stage), address }
}

/** The daemon is there before the network is. */
export const beforeNetwork: Round = async (stage, nth) => {
  const { lab } = stage
  await lab.hostLink('down')
  const { daemon, address } = await started(stage, nth)
  const [{ usableAt }] = await Promise.all([watchForNetwork(lab), sleep(between([3000, 6000]))])
  await lab.hostLink('up')
  const one = await noticed(stage, { address, at: await usableAt })
  await daemon.stop()
  return [one]
}

/** The link is up, the router answers or is mute in turns, and the provider carries nothing at first. */
export const beforeWayOut: Round = async (stage, nth) => {
  const { lab } = stage
  await lab.igd(nth % 2 === 0 ? 'all' : 'none')
  await outboundRoute(lab, false)
  const { daemon, address } = await started(stage, nth)
  await sleep(WITHOUT_WAY_OUT)
  const at = await outboundRoute(lab, true)
  const one = await noticed(stage, { address, at })
  await daemon.stop()
  return [one]
}

/** Nothing can be looked up at first, or every name has the router's address. */
const withoutNames =
  (answers: string, span: number): Round =>
  async (stage, nth) => {
    const { lab } = stage
    await lab.command(`names ${answers}`)
    const { daemon, address } = await started(stage, nth)
    await sleep(span)
    const at = now()
    await lab.command('names right')
    const one = await noticed(stage, { address, at })
    await daemon.stop()
    return [one]
  }

export const beforeNames = withoutNames('silent', WITHOUT_NAMES)
export const hijackedNames = withoutNames(LAN_ROUTER, HIJACKED)
