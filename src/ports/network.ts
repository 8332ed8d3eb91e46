import type { Duration } from '../base/time.ts'
import type { Address, Family } from '../net/address.ts'

/** The way out of this network. */
export interface Gateway {
  readonly address: Address
  readonly interface: string
  /** Our own address on that interface. */
  readonly local: Address
}

/** Which of this host's addresses and interfaces the kernel would send from, to an address anywhere outside. Sends nothing. */
export type FindOutboundRoute = (family: Family, from?: Address) => Promise<OutboundRoute | undefined>

export interface OutboundRoute {
  readonly address?: Address
  readonly interface: string
  /** Of IPv4, where the route goes over one. */
  readonly gateway?: Address
}

/** The IPv4 gateway; undefined where there is none, or where the system does not tell. */
export type FindGateway = (onlyOn?: string) => Promise<Gateway | undefined>

/** The addresses of a host, of one family; empty where it has none or nobody could tell. Answers from memory in a hurry. */
export type Resolve = (host: string, family: Family) => Promise<readonly Address[]>

export type RunOutcome =
  | { readonly kind: 'ended'; readonly code: number; readonly stdout: string }
  | { readonly kind: 'failed'; readonly because: string }

/** Runs a program: no shell, a time limit, no more than 64 KiB of its output. Never rejects. */
export type RunProgram = (
  argv: readonly string[],
  within: Duration,
  signal: AbortSignal,
) => Promise<RunOutcome>

export interface Closable {
  close(): void
}

/** Tells of each datagram to a multicast group; undefined where nobody may listen there. */
export type ListenToGroup = (
  on: { readonly group: Address; readonly port: number; readonly local: Address },
  heard: (bytes: Uint8Array, from: Address, port: number) => void,
) => Promise<Closable | undefined>

export interface Inbound {
  readonly peer: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

/** A small HTTP server for events, on an address of ours and a port of the system's choice; undefined where it may not be. */
export type ListenForEvents = (
  local: Address,
  heard: (inbound: Inbound) => void,
) => Promise<(Closable & { readonly port: number }) | undefined>

/** Calls back whenever the kernel changed an address, a route or a link; `missing` says why it does not tell. */
export type WatchKernel = (changed: () => void, missing: (because: string) => void) => Closable
