import { describe, expect, it } from 'vitest'
import { instant } from '../../../src/shared/base/time.ts'
import { answerTimeout } from '../../../src/client/agent/run.ts'
import { LOOK_REQUEST, makeInbox, POKE_REQUEST } from '../../../src/client/agent/agent.ts'
import type { Observation } from '../../../src/client/decide/observation.ts'
import type { Clock } from '../../../src/shared/ports/clock.ts'

const never = new AbortController().signal
const UNREACHED: Observation = { kind: 'unreached', account: 'a', because: 'time-out', isTls: false }

/** A clock whose sleeps end when the test ends them. */
function setUp() {
  let wake = (): void => undefined
  const clock: Clock = {
    now: () => instant(0),
    sleep: async (_, signal) =>
      new Promise((done) => {
        wake = done
        signal?.addEventListener('abort', () => done(), { once: true })
      }),
    deadline: () => never,
  }
  const inbox = makeInbox()
  const withTimeout = answerTimeout({ clock, inbox })
  /** A request that is answered by the test, or when it is aborted. */
  const ask = () => {
    let isAborted = false
    let answer = (_: Observation): void => undefined
    const seen = withTimeout(
      never,
      async (signal) =>
        new Promise((done) => {
          answer = done
          signal.addEventListener('abort', () => {
            isAborted = true
            done(UNREACHED)
          })
        }),
    )
    return { seen, answer: (o: Observation) => answer(o), isAborted: () => isAborted }
  }
  return { inbox, ask, passes: async () => (wake(), new Promise((done) => setImmediate(done))) }
}

describe('an exchange', () => {
  it('is aborted after a change of the network, with that reason', async () => {
    const { inbox, ask, passes } = setUp()
    const request = ask()
    inbox.put(POKE_REQUEST)
    expect(request.isAborted()).toBe(false)
    await passes()

    expect(await request.seen).toMatchObject({
      kind: 'unreached',
      because: expect.stringMatching(/network changed/),
    })
  })

  it('is not aborted by a request for a look', async () => {
    const { inbox, ask, passes } = setUp()
    const request = ask()
    inbox.put(LOOK_REQUEST)
    await passes()

    expect(request.isAborted()).toBe(false)
    request.answer(UNREACHED)
    expect(await request.seen).toBe(UNREACHED)
  })

  it('after an aborted one is not limited, and the one after that is', async () => {
    const { inbox, ask, passes } = setUp()
    const first = ask()
    inbox.put(POKE_REQUEST)
    await passes()
    await first.seen
    const second = ask()
    await passes()
    expect(second.isAborted()).toBe(false)
    second.answer(UNREACHED)
    await second.seen
    const third = ask()
    await passes()
    expect(third.isAborted()).toBe(true)
  })
})
