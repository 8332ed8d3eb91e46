import { limitConcurrency } from '../../shared/base/concurrency.ts'
import type { VerifyPorts } from './ports.ts'

/**
 * Ports with at most so many questions at a time: a change of many hostnames asks for each of them, and sockets and
 * time belong to the updates first.
 */
export function limitedPorts(ports: VerifyPorts, max: number): VerifyPorts {
  const limit = limitConcurrency(max)
  const limited =
    <Q extends readonly unknown[], A>(ask: (...question: Q) => Promise<A>) =>
    async (...question: Q): Promise<A> =>
      limit(async () => ask(...question))
  return {
    clock: ports.clock,
    entropy: ports.entropy,
    datagram: limited(ports.datagram),
    stream: limited(ports.stream),
    addresses: limited(ports.addresses),
    nameServers: limited(ports.nameServers),
  }
}
