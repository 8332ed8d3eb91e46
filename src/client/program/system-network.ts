import { lookUpName } from '../../shared/platform/names/resolve.ts'
import { isTunnel, systemInterfaces } from '../../shared/platform/network/interfaces.ts'
import { listenForEvents, runProgram } from '../../shared/platform/network/network.ts'
import { startPing } from '../../shared/platform/network/ping.ts'
import { systemOutboundRoute, systemPacketRoute } from '../../shared/platform/network/outbound-route.ts'
import { systemNeighbours, systemRoutes } from '../../shared/platform/network/tables.ts'
import { watchKernel } from '../../shared/platform/network/watch-kernel.ts'
import { isOnBattery } from '../../shared/platform/process/power.ts'
import { askByDatagram, listenToGroup, openChannel } from '../../shared/platform/sockets/datagram.ts'
import { askByStream } from '../../shared/platform/sockets/stream.ts'
import type { NetworkPorts } from '../../shared/ports/system.ts'

export const NETWORK_PORTS: NetworkPorts = {
  http: async (request, signal) =>
    (await import('../../shared/platform/http/http.ts')).undiciHttp(request, signal),
  interfaces: systemInterfaces,
  routes: systemRoutes,
  neighbours: systemNeighbours,
  isTunnel,
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
