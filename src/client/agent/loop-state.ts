import type { DesiredState } from '../decide/desired-state.ts'
import type { WorldView } from '../decide/next-action.ts'
import type { Action } from '../decide/observation.ts'
import type { State } from '../decide/state.ts'
import type { ServiceEndpoint } from './send/exchange.ts'
import type { AddressProvider } from '../detect/sources/provider.ts'

/** One account: its desired state, its update service, and where its addresses come from. */
export interface AccountJob {
  readonly desired: DesiredState
  readonly endpoint: ServiceEndpoint
  readonly source: AddressProvider
  /** By hostname, for hostnames with a source of their own. */
  readonly sources?: Readonly<Record<string, AddressProvider>>
}

/** The data of the loop, with its next action. */
export interface LoopState {
  readonly state: State
  readonly world: WorldView
  readonly action: Action
  readonly jobs: readonly AccountJob[]
}
