import type { Instant } from '../base/time.ts'
import type { Clock, Clocks, Entropy, Random } from './clock.ts'
import type { AskControl, ServeControl } from './control.ts'
import type { AskByDatagram, OpenChannel } from './datagram.ts'
import type { Files } from './files.ts'
import type { RunHook } from './hook.ts'
import type { Http, ServiceHttp } from './http.ts'
import type { Interfaces } from './interfaces.ts'
import type { AcquireLock } from './lock.ts'
import type { SendMail } from './mail.ts'
import type {
  FindAddresses,
  FindNameServers,
  FindOutboundRoute,
  FindPacketRoute,
  IsOnBattery,
  IsTunnel,
  ListenForEvents,
  ListenToGroup,
  LookUpName,
  ReadNeighbours,
  ReadRoutes,
  RunProgram,
  StartPing,
  WatchKernel,
} from './network.ts'
import type { AskByStream } from './stream.ts'

/** Everything by which the client touches the world while it works. The command line makes it of this host. */
export interface SystemPorts {
  readonly clocks: Clocks
  /** Monotonic milliseconds, unrelated to the time of day. */
  readonly steady: Clock
  /** A clock with its own time source. Calls `onWait` at least once a minute during a wait. */
  readonly clockBy: (now: () => Instant, onWait?: () => void) => Clock
  readonly random: Random
  readonly entropy: Entropy
  readonly files: Files
  /** Requests to services and webhooks. */
  readonly http: ServiceHttp
  readonly hook: RunHook
  readonly mail: SendMail
  readonly acquireLock: AcquireLock
  readonly askControl: AskControl
  readonly serveControl: ServeControl
  /** Loaded only where name servers are asked. */
  readonly questions: () => Promise<QuestionPorts>
  /** Loaded only where addresses are detected. */
  readonly network: () => Promise<NetworkPorts>
}

/** What questions to name servers need. */
export interface QuestionPorts {
  readonly datagram: AskByDatagram
  readonly stream: AskByStream
  readonly addresses: FindAddresses
  readonly nameServers: FindNameServers
}

/** What address detection needs of the network. */
export interface NetworkPorts {
  readonly http: Http
  readonly interfaces: Interfaces
  readonly routes: ReadRoutes
  readonly neighbours: ReadNeighbours
  readonly isTunnel: IsTunnel
  readonly outboundRoute: FindOutboundRoute
  readonly packetRoute: FindPacketRoute
  readonly datagram: AskByDatagram
  readonly stream: AskByStream
  readonly lookUpName: LookUpName
  readonly program: RunProgram
  readonly openChannel: OpenChannel
  readonly listenToGroup: ListenToGroup
  readonly listenForEvents: ListenForEvents
  readonly watchKernel: WatchKernel
  readonly startPing: StartPing
  readonly isOnBattery: IsOnBattery
}
