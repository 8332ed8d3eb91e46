import { describe, expect, it } from 'vitest'
import { instant } from '../../../src/base/time.ts'
import { answerTimeout } from '../../../src/client/agent/answer-timeout.ts'
import { LOOK, makeInbox, POKE } from '../../../src/client/agent/inbox.ts'
import type { Observation } from '../../../src/client/decide/observation.ts'
import type { Clock } from '../../../src/ports/clock.ts'

const never = new AbortController().signal
const UNREACHED: Observation = { kind: 'unreached', account: 'a', because: 'time-out', isTls: false }

/** A clock whose sleeps last until the test lets them end. */
function scene() {
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
  const patience = answerTimeout({ clock, inbox })
  /** A request that is answered only when it is given up; whether it was. */
  const ask = () => {
    let isGivenUp = false
    let answer = (_: Observation): void => undefined
    const seen = patience(
      never,
      async (signal) =>
        new Promise((done) => {
          answer = done
          signal.addEventListener('abort', () => {
            isGivenUp = true
            done(UNREACHED)
          })
        }),
    )
    return { seen, answer: (o: Observation) => answer(o), isGivenUp: () => isGivenUp }
  }
  return { inbox, ask, passes: async () => (wake(), new Promise((done) => setImmediate(done))) }
}

describe('a request under way', () => {
  it('is given up a little after the network changed, and says why', async () => {
    const { inbox, ask, passes } = scene()
    const request = ask()
    inbox.put(POKE)
    expect(request.isGivenUp()).toBe(false)
    await passes()

    expect(await request.seen).toMatchObject({
      kind: 'unreached',
      because: expect.stringMatching(/network changed/),
    })
  })

  it('is not given up for a hint that only asks for a look', async () => {
    const { inbox, ask, passes } = scene()
    const request = ask()
    inbox.put(LOOK)
    await passes()

    expect(request.isGivenUp()).toBe(false)
    request.answer(UNREACHED)
    expect(await request.seen).toBe(UNREACHED)
  })

  it('after one that was given up has its whole time, and the next one not', async () => {
    const { inbox, ask, passes } = scene()
    const first = ask()
    inbox.put(POKE)
    await passes()
    await first.seen
    const second = ask()
    await passes()
    expect(second.isGivenUp()).toBe(false)
    second.answer(UNREACHED)
    await second.seen
    const third = ask()
    await passes()
    expect(third.isGivenUp()).toBe(true)
  })
})
