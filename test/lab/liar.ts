/**
 * The name server of a network that answers all plain DNS itself: liar.ts IPV4 IPV6 [refuse]. Names at which public resolvers
 * return the address of the client have the given ones; with "refuse" those of the class CHAOS are refused. Others are right.
 */
import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'
import { answerTo, octets, type Question, questionOf } from './answers.ts'
import { NAMES, serviceV4 } from './plan.ts'

const [v4 = '', v6 = '', refuse] = process.argv.slice(2)
const [A, TXT, AAAA] = [1, 16, 28]
const CHAOS = 3
const [NO_SUCH_NAME, REFUSED] = [3, 5]
const PORT = 53
const WHOAMI = /whoami|myip|myaddr/

const textOf = (text: string): Buffer => Buffer.from(`${String.fromCharCode(text.length)}${text}`)

function lieFor(type: number, isOverV6: boolean): Buffer | undefined {
  if (type === TXT) return textOf(isOverV6 ? v6 : v4)
  return type === A ? octets(v4) : type === AAAA ? octets(v6) : undefined
}

function answerFor({ name, type, class: klass }: Question, isOverV6: boolean) {
  if (klass === CHAOS && refuse !== undefined) return { code: REFUSED, data: undefined }
  if (WHOAMI.test(name)) return { code: 0, data: lieFor(type, isOverV6) }
  const number = NAMES.get(name)
  if (number === undefined) return { code: NO_SUCH_NAME, data: undefined }
  return { code: 0, data: type === A ? octets(serviceV4(number)) : undefined }
}

function reply(query: Buffer, isOverV6: boolean): Buffer | undefined {
  if (query.length < 17) return undefined
  const question = questionOf(query)
  return answerTo(query, question, answerFor(question, isOverV6))
}

for (const [type, address] of [
  ['udp4', '0.0.0.0'],
  ['udp6', '::'],
] as const) {
  const socket = createSocket({ type, ipv6Only: type === 'udp6' })
  socket.on('message', (query, from) => {
    const answer = reply(query, type === 'udp6')
    if (answer !== undefined) socket.send(answer, from.port, from.address, () => undefined)
  })
  socket.bind(PORT, address)
}
createServer((socket) => {
  socket.on('error', () => undefined)
  socket.on('data', (chunk: Buffer) => {
    const answer = reply(chunk.subarray(2), socket.remoteAddress?.startsWith('::ffff:') === false)
    if (answer !== undefined)
      socket.end(Buffer.concat([Buffer.from([answer.length >> 8, answer.length & 255]), answer]))
  })
}).listen(PORT, '::', () => console.log('ready'))
