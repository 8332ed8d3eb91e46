import { onTestFinished } from 'vitest'
import { type Answerer, type Asked, dnsResponder } from './dns-responder.ts'

/** A name server on loopback, by UDP and TCP, that answers as the test says; it ends with the test. */
export async function nameServer(answer: Answerer, host = '127.0.0.1', wanted = 0) {
  const questions: Asked[] = []
  const recorded: Answerer = (asked) => {
    questions.push(asked)
    return answer(asked)
  }
  const { port, close } = await dnsResponder(recorded, host, wanted)
  onTestFinished(close)
  return { port, questions, endpoint: `${host}:${port}` }
}
