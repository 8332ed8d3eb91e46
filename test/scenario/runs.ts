import { expect } from 'vitest'
import { hours } from '../../src/shared/base/time.ts'
import { forever, once, run } from '../../src/client/agent/run.ts'
import type { DesiredState } from '../../src/client/decide/desired-state.ts'
import type { Observation } from '../../src/client/decide/observation.ts'
import { type AddressScript, type Disk, disk, type ScriptedOutcome, world } from '../fakes/world.ts'

export const STARTED: readonly Observation[] = [{ kind: 'started' }]

export interface Scene {
  readonly script: readonly ScriptedOutcome[]
  /** In hours. */
  readonly span?: number
  readonly addressesAt?: AddressScript
  readonly desiredStates?: readonly Partial<DesiredState>[]
  readonly file?: Disk
  readonly opening?: readonly Observation[]
}

/** The log of a daemon, by default of a day. */
export async function daemon({
  script,
  span = 24,
  addressesAt,
  desiredStates,
  file = disk(),
  opening = STARTED,
}: Scene): Promise<readonly string[]> {
  const lines = [...script]
  const scene = world(file, lines, addressesAt, desiredStates)
  scene.stopAfter(hours(span))
  await run(scene, opening, forever)
  expect(lines, 'every outcome of the script was used').toEqual([])
  return scene.log
}

export async function oneShot({
  script,
  addressesAt,
  desiredStates,
  file = disk(),
  opening = STARTED,
}: Scene): Promise<readonly string[]> {
  const scene = world(file, [...script], addressesAt, desiredStates)
  await run(scene, opening, once)
  return scene.log
}
