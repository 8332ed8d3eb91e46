import type { Result } from '../base/result.ts'
import type { Duration } from '../base/time.ts'
import type { Address, Family } from '../base/address.ts'
import type { SentPacket } from '../base/sighting.ts'

/** The router that leads out of this network. */
export interface Gateway {
  readonly address: Address
  readonly interface: string
  /** The address of this host on that interface. */
  readonly local: Address
}

/** The local address and interface that the kernel chooses for a destination on the internet. Sends no packet. */
export type FindOutboundRoute = (family: Family, from?: Address) => Promise<OutboundRoute | undefined>

export interface OutboundRoute {
  readonly address?: Address
  readonly interface: string
  /** IPv4 only, where the route has one. */
  readonly gateway?: Address
}

/** A packet of another host, which this one may forward. */
interface ForwardedPacket {
  readonly from: Address
  /** The interface that it arrives by. */
  readonly by: string
}

/**
 * The way of such a packet by all rules and routes, or of any one to the internet; undefined where it cannot be found out.
 * Sends no packet.
 */
export type FindPacketRoute = (
  packet: SentPacket | Pick<SentPacket, 'local'> | ForwardedPacket | { readonly family: Family },
) => Promise<Omit<OutboundRoute, 'address'> | undefined>

/** The IPv4 gateway, optionally of one interface; undefined where there is none or the routing table cannot be read. */
export type FindGateway = (interfaceName?: string) => Promise<Gateway | undefined>

/** A row of the routing tables that is up. */
export interface KernelRoute {
  readonly interface: string
  readonly destination: Address
  /** The prefix length of the destination: 0 for a default route. */
  readonly length: number
  /** Undefined where the destination is on the link. */
  readonly gateway?: Address
  readonly metric: number
}

/** The main table of IPv4, all tables of IPv6, each in its own order; empty where they cannot be read. */
export type ReadRoutes = (family: Family) => Promise<readonly KernelRoute[]>

/** A row of the neighbour table. */
export interface Neighbour {
  readonly address: Address
  readonly interface: string
  /** Without one, the neighbour does not answer. */
  readonly mac?: string
}

/** Empty where the table cannot be read. Never rejects. */
export type ReadNeighbours = (family: Family) => Promise<readonly Neighbour[]>

/** Whether the kernel reports the interface as a tunnel; the name is not considered. Never rejects. */
export type IsTunnel = (interfaceName: string) => Promise<boolean>

export interface LookupResult {
  readonly addresses: readonly Address[]
  /** How long the result may be cached. */
  readonly ttl: Duration
}

/** One lookup of a host by the resolver of this host, of one family. Rejects with the error of the resolver. */
export type LookUpName = (host: string, family: Family) => Promise<LookupResult>

/** The addresses of a host, of one family; empty where it has none or the lookup fails. May return cached addresses. */
export type Resolve = (host: string, family: Family) => Promise<readonly Address[]>

/**
 * The names of the name servers of a zone, by the resolver of this host; empty for a name that is no zone. The error is the
 * reason why the lookup failed. Never rejects.
 */
export type FindNameServers = (
  zone: string,
  signal: AbortSignal,
) => Promise<Result<readonly string[], string>>

/** The addresses of a host, by the resolver of this host; empty where it has none or the lookup fails. Never rejects. */
export type FindAddresses = (host: string, family: Family, signal: AbortSignal) => Promise<readonly Address[]>

export type RunOutcome =
  | { readonly kind: 'ended'; readonly code: number; readonly stdout: string }
  | { readonly kind: 'failed'; readonly because: string }

/** Runs a program without a shell, with a timeout, and at most 64 KiB of output. Never rejects. */
export type RunProgram = (
  argv: readonly string[],
  timeout: Duration,
  signal: AbortSignal,
) => Promise<RunOutcome>

export interface Closable {
  close(): void
}

/** Calls back for each datagram to a multicast group; undefined where the group cannot be joined. */
export type ListenToGroup = (
  on: { readonly group: Address; readonly port: number; readonly local: Address },
  onDatagram: (bytes: Uint8Array, from: Address, port: number) => void,
) => Promise<Closable | undefined>

/** An HTTP request to the event listener (UPnP NOTIFY). */
export interface EventRequest {
  /** The remote address; empty where the socket has none. */
  readonly peer: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

/** A small HTTP server for events, on a local address and a free port; undefined where it cannot listen. */
export type ListenForEvents = (
  local: Address,
  onRequest: (request: EventRequest) => void,
) => Promise<(Closable & { readonly port: number }) | undefined>

/**
 * Calls `onChange` when the kernel changes an address, a route or a link, and `onUnavailable` once where it cannot be
 * watched.
 */
export type WatchKernel = (onChange: () => void, onUnavailable: (because: string) => void) => Closable

/** ICMP echo requests (RFC 792) to one address. */
interface PingRequest {
  readonly to: Address
  /** TTL. */
  readonly hops: number
  readonly interval: Duration
}

/**
 * Sends requests until it is closed. Calls `onMissing`, with its number, for each without a reply when the next one is sent,
 * and `onEnd` once, where it cannot send them, or cannot any more.
 */
export type StartPing = (
  request: PingRequest,
  onMissing: (sequence: number) => void,
  onEnd: (because: string) => void,
) => Closable

/** Whether this host runs on battery now. Never rejects. */
export type IsOnBattery = () => Promise<boolean>
