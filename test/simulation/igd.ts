import type { HttpRequest } from '../../src/shared/ports/http.ts'
import { GATEWAY, type Home } from './home.ts'

const ROOT = `http://${GATEWAY.address}:5000`
const TYPE = 'urn:schemas-upnp-org:service:WANIPConnection:1'

/** UPnP Device Architecture 2.0 §1.3.3: where the description of the router is. */
export const searchAnswer = (): Uint8Array =>
  Buffer.from(
    [
      'HTTP/1.1 200 OK',
      'CACHE-CONTROL: max-age=1800',
      'ST: urn:schemas-upnp-org:device:InternetGatewayDevice:1',
      'USN: uuid:1::urn:schemas-upnp-org:device:InternetGatewayDevice:1',
      `LOCATION: ${ROOT}/root.xml`,
      '',
      '',
    ].join('\r\n'),
  )

const DESCRIPTION = `<?xml version="1.0"?><root xmlns="urn:schemas-upnp-org:device-1-0"><device>
<deviceType>urn:schemas-upnp-org:device:InternetGatewayDevice:1</deviceType><serviceList><service>
<serviceType>${TYPE}</serviceType><controlURL>/control</controlURL><eventSubURL>/events</eventSubURL>
</service></serviceList></device></root>`

/** WANIPConnection:1 §2.4.18. */
const addressAnswer = (address: string): string =>
  `<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>
<u:GetExternalIPAddressResponse xmlns:u="${TYPE}"><NewExternalIPAddress>${address}</NewExternalIPAddress>
</u:GetExternalIPAddressResponse></s:Body></s:Envelope>`

/** §2.4.9. */
const statusAnswer = (uptime: number): string =>
  `<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>
<u:GetStatusInfoResponse xmlns:u="${TYPE}"><NewConnectionStatus>Connected</NewConnectionStatus>
<NewLastConnectionError>ERROR_NONE</NewLastConnectionError><NewUptime>${uptime}</NewUptime></u:GetStatusInfoResponse>
</s:Body></s:Envelope>`

interface IgdAnswer {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

const SUBSCRIBED = { sid: 'uuid:1', timeout: 'Second-1800' }

/** The web server of a router that knows UPnP; undefined: no answer. */
export function igdAnswer(
  home: Home,
  { url, method = 'GET', headers: given }: Pick<HttpRequest, 'url' | 'method' | 'headers'>,
): IgdAnswer | undefined {
  const stated = home.upnpAddress()
  if (stated === undefined) return undefined
  const { pathname } = new URL(url)
  const answer = (status: number, body = '', headers = {}): IgdAnswer => ({ status, body, headers })
  if (pathname === '/root.xml') return answer(200, DESCRIPTION)
  if (pathname === '/control' && given['soapaction']?.endsWith('#GetStatusInfo"'))
    return answer(200, statusAnswer(home.routerEpoch()))
  if (pathname === '/control') return answer(200, addressAnswer(stated))
  if (pathname === '/events') return method === 'SUBSCRIBE' ? answer(200, '', SUBSCRIBED) : answer(200)
  return answer(404)
}

/** The path of the callback in a subscription (§4.1.2): "<http://host:port/path>". */
export const callbackIn = (header = ''): string => new URL(header.slice(1, -1)).pathname
