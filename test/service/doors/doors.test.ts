import { describe, expect, it, onTestFinished } from 'vitest'
import { credentialOf } from './credentials.ts'
import { answerAt, DOOR_NAMES, NOTHING } from './doors.ts'
import { STATES } from './states.ts'
import { type Cell, cellsOf, drivenOf, EVERY, ROWS } from './table.ts'
import { doorsWorld } from './world.ts'

const STATE_NAMES = Object.keys(STATES)
const CELLS = cellsOf(ROWS, STATE_NAMES)
const DRIVEN = drivenOf(ROWS, STATE_NAMES)
/** Each of them is in the table for every door and state; a key with scopes where a row says so. */
const WHOLE = [
  'password',
  'ddns-key',
  'api-key',
  'tsig-key',
  'session-password',
  'session-key',
  'session-passkey',
]

/** Answers with which something is stored; that of a read is none. */
const isDone = ({ door, expected }: Cell): boolean =>
  door !== 'v1-read' && /^(good|20\d|NOERROR|200 done)$/.test(expected)

async function answered({ door, credential, state }: Cell) {
  const world = await doorsWorld()
  onTestFinished(async () => world.close())
  const made = await credentialOf(world, credential)
  return answerAt(door, {
    world,
    credential: made,
    state,
    enter: async () => {
      for (const step of STATES[state] ?? []) await step(world)
      if (state === 'expired') await made.expire()
    },
  })
}

describe('the table of doors', () => {
  const keyOf = ({ door, credential, state }: Cell) => [door, credential, state].join(' | ')

  it('has each cell once, of a door and a state that exist', () => {
    expect(ROWS.map(keyOf)).toEqual([...new Set(ROWS.map(keyOf))])
    expect(ROWS.filter(({ door }) => !DOOR_NAMES.includes(door))).toEqual([])
    expect(ROWS.filter(({ state }) => state !== EVERY && !STATE_NAMES.includes(state))).toEqual([])
  })

  it('has every state of every credential at every door', () => {
    const known = new Set(CELLS.map(keyOf))
    const wanted = DOOR_NAMES.flatMap((door) =>
      WHOLE.flatMap((credential) =>
        STATE_NAMES.map((state) => keyOf({ door, credential, state, expected: '', reason: '' })),
      ),
    )
    expect(wanted.filter((one) => !known.has(one))).toEqual([])
  })
})

describe.each(DOOR_NAMES)('at the door %s', (name) => {
  it.each(DRIVEN.filter(({ door, expected }) => door === name && expected !== NOTHING))(
    'the credential $credential in the state $state is answered $expected: $reason',
    async (cell) => {
      const { answer, isChanged } = await answered(cell)
      // A refusal of /v1 has its title behind its code.
      expect([answer.slice(0, cell.expected.length), isChanged]).toEqual([cell.expected, isDone(cell)])
    },
  )
})
