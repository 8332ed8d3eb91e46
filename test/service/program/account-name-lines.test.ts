import { describe, expect, it } from 'vitest'
import { instant } from '../../../src/shared/base/time.ts'
import { linesOfStart, newStore } from './started.ts'
import { SMALL_PLAN } from '../../small-plan.ts'

const storeOf = async (names: readonly string[]): Promise<string> =>
  newStore(async (w) => {
    const planId = await w.addPlan(SMALL_PLAN)
    for (const name of names) await w.addAccount({ name, hash: new Uint8Array(48), planId }, instant(1))
  })

/** Lines that name any of the accounts. */
const naming = (lines: readonly string[], names: readonly string[]): readonly string[] =>
  lines.filter((line) => names.some((name) => new RegExp(`\\b${name}\\b`).test(line)))

describe('accounts whose names differ in capitals alone', () => {
  // biome-ignore format: a table
  it.each<[what: string, names: readonly string[], listed: readonly string[]]>([
    ['two',               ['quentin', 'Quentin', 'xavier'],            ['quentin', 'Quentin']],
    ['three',             ['quentin', 'Quentin', 'QUENTIN', 'xavier'], ['quentin', 'Quentin', 'QUENTIN']],
    ['two and two',       ['quentin', 'Quentin', 'yvette', 'YVETTE'],  ['quentin', 'Quentin', 'yvette', 'YVETTE']],
  ])('are listed in one line at the start: %s', async (_, names, listed) => {
    const lines = naming(await linesOfStart(await storeOf(names)), names)
    expect(lines).toHaveLength(1)
    expect(listed.filter((name) => naming(lines, [name]).length === 0)).toEqual([])
    expect(naming(lines, ['xavier'])).toEqual([])
  })

  it('are listed at every start, and stay', async () => {
    const folder = await storeOf(['quentin', 'Quentin'])
    const first = naming(await linesOfStart(folder), ['quentin', 'Quentin'])
    const second = naming(await linesOfStart(folder), ['quentin', 'Quentin'])
    expect([first.length, second.length]).toEqual([1, 1])
  })

  it('are not there: no line', async () => {
    const names = ['quentin', 'xavier', 'Yvette']
    expect(naming(await linesOfStart(await storeOf(names)), names)).toEqual([])
  })
})
