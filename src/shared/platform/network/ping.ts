import type { StartPing } from '../../ports/network.ts'
import { tiedChild } from '../process/tied-child.ts'

/** What ping(8) of iputils prints with -O for a request without a reply when it sends the next one. */
const MISSING = /no answer yet for icmp_seq=(\d+)/g

/**
 * ping(8) as a child, because Node has no sockets for ICMP. With -q it prints nothing for a reply, so this process sleeps
 * while all is well. Linux lets users ping whose group is in net.ipv4.ping_group_range (icmp(7)), without any capability.
 */
export const startPing: StartPing = ({ to, hops, interval }, onMissing, onEnd) =>
  tiedChild(['ping', '-n', '-q', '-O', '-t', String(hops), '-i', String(interval / 1000), to], {
    onOutput: (chunk) => {
      for (const [, sequence] of chunk.matchAll(MISSING)) onMissing(Number(sequence))
    },
    onEnd,
  })
