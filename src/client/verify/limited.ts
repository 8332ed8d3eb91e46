import type { VerifyPorts } from './ports.ts'

/**
 * Ports with at most so many questions at a time: a change of many hostnames asks for each of them, and sockets and time belong
 * to the updates first. The others wait in order.
 */
export function limitedPorts(ports: VerifyPorts, max: number): VerifyPorts {
  let running = 0
  const waiting: (() => void)[] = []
  const limited =
    <Q extends readonly unknown[], A>(ask: (...question: Q) => Promise<A>) =>
    async (...question: Q): Promise<A> => {
      if (running >= max) await new Promise<void>((next) => waiting.push(next))
      else running++
      try {
        return await ask(...question)
      } finally {
        // The next one takes this place.
        const next = waiting.shift()
        if (next === undefined) running--
        else next()
      }
    }
  return {
    clock: ports.clock,
    datagram: limited(ports.datagram),
    stream: limited(ports.stream),
    addresses: limited(ports.addresses),
    nameServers: limited(ports.nameServers),
  }
}
