import { expect, it } from 'vitest'
import { minutes } from '../../../src/shared/base/time.ts'
import { forever, run } from '../../../src/client/agent/run.ts'
import { answerControl, type ControlContext } from '../../../src/client/report/control-requests.ts'
import { resumeSaved } from '../../../src/client/report/resume-state.ts'
import type { LoopState } from '../../../src/client/agent/agent.ts'
import { type AccountStatus, accountOf, type State } from '../../../src/client/decide/state.ts'
import { formatState } from '../../../src/client/agent/memory/codec.ts'
import { formatResumeResults } from '../../../src/client/report/resume-result.ts'
import { PLAN, START, world } from '../../fakes/world.ts'

const UNTIL = (START + minutes(30)) as typeof START
const TIMES = { since: START, until: UNTIL, detail: '', attempt: 0 }
const CLOCK = { now: START, wallAt: (at: typeof START) => at }

// biome-ignore format: a table
const CASES: readonly (readonly [what: string, status: AccountStatus, after: string, line: RegExp])[] = [
  ['a stop',                   { kind: 'stopped', since: START, because: 'abuse', about: '' }, 'ready',   /^key@service\.test: the stop after abuse is cleared$/],
  ['a wait after HTTP 503',    { kind: 'waiting', because: 'HTTP 503', ...TIMES },             'ready',   /: the wait after HTTP 503 is ended$/],
  ['a wait that 911 requires', { kind: 'waiting', because: '911', ...TIMES },                  'waiting', /^nothing to resume: /],
]
const saved = (status: AccountStatus): State => ({ accounts: { [PLAN.account]: { status, hosts: {} } } })

it.each(CASES)('%s in a saved state', (_, status, after, line) => {
  const moment = { now: START, random: 0 }
  const { state, results } = resumeSaved(saved(status), [PLAN], { moment, clock: CLOCK })

  expect(accountOf(state, PLAN.account).status.kind).toBe(after)
  expect(formatResumeResults(results)[0]).toMatch(line)
})

it('a wait that continues is named with its end', () => {
  const { results } = resumeSaved(saved({ kind: 'waiting', because: '911', ...TIMES }), [PLAN], {
    moment: { now: START, random: 0 },
    clock: CLOCK,
  })

  expect(formatResumeResults(results)[1]).toBe(
    'key@service.test: still waiting after 911 until 2026-01-01 00:30:00; resume does not end this wait',
  )
})

it.each(CASES)('%s in a daemon: the same result as in a saved state', async (_, status, after, line) => {
  const scene = world({ text: formatState(saved(status)) }, [], () => [])
  let loop: LoopState | undefined
  const agent = { ...scene, whenStopped: 'idle', onState: (state: LoopState) => void (loop = state) } as const
  const context: ControlContext = {
    inbox: scene.inbox,
    hint: () => undefined,
    loopState: () => loop ?? { ...unset() },
    report: () => [],
    reportFromNow: () => () => [],
    troubles: () => [],
    recovered: () => undefined,
    clock: () => CLOCK,
    reread: () => Promise.resolve([]),
  }
  loop = { ...unset(), state: saved(status) }
  const answer = answerControl(context, { do: 'resume', accounts: [PLAN.account] })
  scene.stopAfter(minutes(1))
  const end = await run(agent, [{ kind: 'started' }], forever)

  const { resumed = [] } = await answer
  expect(formatResumeResults(resumed)[0]).toMatch(line)
  expect(accountOf(end.state, PLAN.account).status.kind).toBe(after)

  function unset(): LoopState {
    const nowhere = { sightings: undefined, nextLook: START }
    return { state: { accounts: {} }, world: nowhere, action: { kind: 'halt' }, jobs: scene.jobs }
  }
})
