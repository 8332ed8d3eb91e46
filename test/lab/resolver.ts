/** The name server of the lab. It has the names of the outside services, and fails on command. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { nameAnswer } from './answers.ts'
import { NAMES, RESOLVER, serviceV4 } from './plan.ts'

type Answers = 'right' | 'silent' | { readonly always: string }

let answers: Answers = 'right'

const addressOf = (name: string): string | undefined => {
  if (typeof answers === 'object') return answers.always
  const number = NAMES.get(name)
  return number === undefined ? undefined : serviceV4(number)
}

/** right, silent, or an address for every name. */
export function setAnswers(word: string): void {
  answers = word === 'right' || word === 'silent' ? word : { always: word }
}

export async function startResolver(): Promise<void> {
  const socket = createSocket('udp4')
  socket.on('message', (query, { address, port }) => {
    const reply = answers === 'silent' ? undefined : nameAnswer(query, addressOf)
    if (reply !== undefined) socket.send(reply, port, address, () => undefined)
  })
  socket.bind(53, serviceV4(RESOLVER))
  await once(socket, 'listening')
}
