import type { Family } from '../../../shared/base/address.ts'
import type { FindPacketRoute, WatchKernel } from '../../../shared/ports/network.ts'

type Way = Awaited<ReturnType<FindPacketRoute>>

interface KernelPorts {
  readonly packetRoute: FindPacketRoute
  readonly watchKernel: WatchKernel
}

export interface KnownWay extends Pick<KernelPorts, 'watchKernel'> {
  /** The way out by all rules; `tables` is what the tables say now, read at the same time. */
  readonly find: (family: Family, tables: Promise<string>) => Promise<Way>
}

/**
 * Finding the way out starts a program. While the kernel reports changes, rules included, the way is kept until the next
 * report, or until the tables differ. Without reports it is not kept.
 */
export function knownWay({ packetRoute, watchKernel }: KernelPorts): KnownWay {
  let known: Map<Family, { readonly tables: string; readonly way: Way }> | undefined
  /** With other settings another watch begins before the one before it is closed. */
  let newest = 0
  return {
    find: async (family, tables) => {
      const before = known
      const kept = before?.get(family)
      if (kept !== undefined && kept.tables === (await tables) && before === known) return kept.way
      const current = known
      const [way, read] = await Promise.all([packetRoute({ family }), tables])
      // A report that arrives meanwhile may be about this way.
      if (current === known) known?.set(family, { tables: read, way })
      return way
    },
    watchKernel(onChange, onUnavailable) {
      const own = ++newest
      const forget = (next: typeof known): void => {
        if (own === newest) known = next
      }
      forget(new Map())
      const watcher = watchKernel(
        () => {
          forget(new Map())
          onChange()
        },
        (because) => {
          forget(undefined)
          onUnavailable(because)
        },
      )
      return {
        close: () => {
          forget(undefined)
          watcher.close()
        },
      }
    },
  }
}
