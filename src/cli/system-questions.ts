import { findAddresses, findNameServers } from '../platform/names/name-servers.ts'
import { askByDatagram } from '../platform/sockets/datagram.ts'
import { askByStream } from '../platform/sockets/stream.ts'
import type { QuestionPorts } from '../ports/system.ts'

export const QUESTION_PORTS: QuestionPorts = {
  datagram: askByDatagram,
  stream: askByStream,
  addresses: findAddresses,
  nameServers: findNameServers,
}
