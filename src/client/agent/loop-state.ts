import type { DesiredState } from '../decide/desired-state.ts'
import type { WorldView } from '../decide/next-action.ts'
import type { Action } from '../decide/observation.ts'
import type { State } from '../decide/state.ts'
import type { ServiceEndpoint } from '../send/exchange.ts'
import type { AddressProvider } from '../sources/provider.ts'

/** One account: what is wanted, where requests go, and who knows the address. */
export interface AccountJob {
  readonly desired: DesiredState
  readonly endpoint: ServiceEndpoint
  readonly source: AddressProvider
  /** Where some of its hostnames have another. */
  readonly sources?: Readonly<Record<string, AddressProvider>>
}

/** Where the loop came to rest. */
export interface LoopState {
  readonly state: State
  readonly world: WorldView
  readonly action: Action
  readonly jobs: readonly AccountJob[]
}
