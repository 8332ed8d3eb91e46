import { findAddresses, findNameServers } from '../../shared/platform/names/name-servers.ts'
import { askByDatagram } from '../../shared/platform/sockets/datagram.ts'
import { askByStream } from '../../shared/platform/sockets/stream.ts'
import type { QuestionPorts } from '../../shared/ports/system.ts'

export const QUESTION_PORTS: QuestionPorts = {
  datagram: askByDatagram,
  stream: askByStream,
  addresses: findAddresses,
  nameServers: findNameServers,
}
