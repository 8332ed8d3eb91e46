import { lookUpName } from '../platform/names/resolve.ts'
import { systemInterfaces } from '../platform/network/interfaces.ts'
import { listenForEvents, runProgram, systemRoutes } from '../platform/network/network.ts'
import { startPing } from '../platform/network/ping.ts'
import { systemOutboundRoute, systemPacketRoute } from '../platform/network/outbound-route.ts'
import { watchKernel } from '../platform/network/watch-kernel.ts'
import { isOnBattery } from '../platform/process/power.ts'
import { askByDatagram, listenToGroup, openChannel } from '../platform/sockets/datagram.ts'
import { askByStream } from '../platform/sockets/stream.ts'
import type { NetworkPorts } from '../ports/system.ts'

export const NETWORK_PORTS: NetworkPorts = {
  http: async (request, signal) => (await import('../platform/http/http.ts')).undiciHttp(request, signal),
  interfaces: systemInterfaces,
  routes: systemRoutes,
  outboundRoute: systemOutboundRoute,
  packetRoute: systemPacketRoute,
  datagram: askByDatagram,
  stream: askByStream,
  lookUpName,
  program: runProgram,
  openChannel,
  listenToGroup,
  listenForEvents,
  watchKernel,
  startPing,
  isOnBattery,
}
