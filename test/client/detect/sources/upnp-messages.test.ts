import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decodeAddress,
  decodeUptime,
  decodeDescription,
  decodeLocation,
  encodeAction,
  encodeSearch,
} from '../../../../src/client/detect/sources/upnp.ts'
import { cpuOf } from '../../../lab/cpu.ts'
import { RUNS, addressBytes, textOf, isZero, damaged, noise } from './messages.ts'

describe('the UPnP codec', () => {
  const LOCATION = 'http://192.168.1.1:49000/igddesc.xml'
  const service = (type: string, path: string, prefix = ''): string => {
    const p = prefix === '' ? '' : `${prefix}:`
    return `<${p}service>
      <${p}serviceType>urn:schemas-upnp-org:service:${type}</${p}serviceType>
      <${p}serviceId>urn:upnp-org:serviceId:${path}</${p}serviceId>
      <${p}controlURL>${path}</${p}controlURL>
      <${p}eventSubURL>${path}/events</${p}eventSubURL>
      <${p}SCPDURL>${path}.xml</${p}SCPDURL>
    </${p}service>`
  }
  const nested = (version: 1 | 2, wan: string, urlBase = ''): string => `<?xml version="1.0"?>
<root xmlns="urn:schemas-upnp-org:device-1-0">
  <specVersion><major>1</major><minor>0</minor></specVersion>${urlBase}
  <device>
    <deviceType>urn:schemas-upnp-org:device:InternetGatewayDevice:${version}</deviceType>
    <friendlyName>the router</friendlyName>
    <presentationURL>http://192.168.1.1</presentationURL>
    <serviceList>${service('Layer3Forwarding:1', '/l3f')}</serviceList>
    <deviceList><device>
      <deviceType>urn:schemas-upnp-org:device:WANDevice:${version}</deviceType>
      <serviceList>${service('WANCommonInterfaceConfig:1', '/wancic')}</serviceList>
      <deviceList><device>
        <deviceType>urn:schemas-upnp-org:device:WANConnectionDevice:${version}</deviceType>
        <serviceList>${service('WANDSLLinkConfig:1', '/dsl')}${wan}</serviceList>
      </device></deviceList>
    </device></deviceList>
  </device>
</root>`
  const at = (type: string, base: string) => ({
    type: `urn:schemas-upnp-org:service:${type}`,
    control: base,
    events: `${base}/events`,
  })
  const ONE = service('WANIPConnection:1', '/ctl/IPConn')
  const PLAIN = nested(1, ONE)

  // biome-ignore format: a table
  it.each<[string, string, object | undefined]>([
    ['version 1, three devices deep',    PLAIN,                                                               at('WANIPConnection:1', 'http://192.168.1.1:49000/ctl/IPConn')],
    ['version 2',                        nested(2, service('WANIPConnection:2', '/ctl/IPConn')),              at('WANIPConnection:2', 'http://192.168.1.1:49000/ctl/IPConn')],
    ['PPP',                              nested(1, service('WANPPPConnection:1', '/ppp')),                    at('WANPPPConnection:1', 'http://192.168.1.1:49000/ppp')],
    ['PPP before IP',                    nested(1, service('WANPPPConnection:1', '/ppp') + ONE),              at('WANIPConnection:1', 'http://192.168.1.1:49000/ctl/IPConn')],
    ['version 1 before version 2',       nested(2, ONE + service('WANIPConnection:2', '/two')),               at('WANIPConnection:2', 'http://192.168.1.1:49000/two')],
    ['a prefix',                         nested(1, service('WANIPConnection:1', '/p', 'd')),                  at('WANIPConnection:1', 'http://192.168.1.1:49000/p')],
    ['a path without a slash',           nested(1, service('WANIPConnection:1', 'ctl')),                      at('WANIPConnection:1', 'http://192.168.1.1:49000/ctl')],
    ['a whole URL',                      nested(1, service('WANIPConnection:1', 'http://192.168.1.1:5000/x')), at('WANIPConnection:1', 'http://192.168.1.1:5000/x')],
    ['a URLBase',                        nested(1, ONE, '<URLBase>http://192.168.1.1:5000/</URLBase>'),       at('WANIPConnection:1', 'http://192.168.1.1:5000/ctl/IPConn')],
    ['an empty URLBase',                 nested(1, ONE, '<URLBase></URLBase>'),                               at('WANIPConnection:1', 'http://192.168.1.1:49000/ctl/IPConn')],
    ['white space around values',  PLAIN.replaceAll(/<(controlURL|serviceType)>([^<]*)</g, '<$1>\n  $2\n  <'), at('WANIPConnection:1', 'http://192.168.1.1:49000/ctl/IPConn')],
    ['no connection',                    nested(1, ''),                                                       undefined],
    ['a connection of another kind',     nested(1, service('WANIPConnection:9', '/x')),                       undefined],
    ['no control URL',                   nested(1, ONE.replace(/<controlURL>.*<\/controlURL>/, '')),          undefined],
    ['a control URL that is none',       nested(1, service('WANIPConnection:1', 'http://[')),                 undefined],
    ['a document type',                  `<!DOCTYPE root SYSTEM "file:///etc/passwd">${PLAIN}`,               undefined],
    ['entities',                         `<!doctype r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${PLAIN}`,     undefined],
    ['an entity alone',                  `<!ENTITY a "a">${PLAIN}`,                                           undefined],
    ['more than 64 KiB',                 PLAIN + ' '.repeat(64 * 1024),                                       undefined],
    ['nothing',                          '',                                                                  undefined],
    ['HTML',                             '<html><body>404</body></html>',                                     undefined],
  ])('decodes a description with %s', (_, text, expected) =>
    expect(decodeDescription(text, LOCATION)).toEqual(expected))

  it('resolves character references in URLs', () =>
    expect(
      decodeDescription(nested(1, service('WANIPConnection:1', '/ctl?a=1&amp;b=2')), LOCATION)?.control,
    ).toBe('http://192.168.1.1:49000/ctl?a=1&b=2'))

  const soap = (inner: string): string =>
    `<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${inner}</s:Body></s:Envelope>`
  const told = (address: string): string =>
    soap(
      `<u:GetExternalIPAddressResponse xmlns:u="urn:schemas-upnp-org:service:WANIPConnection:1"><NewExternalIPAddress>${address}</NewExternalIPAddress></u:GetExternalIPAddressResponse>`,
    )

  // biome-ignore format: a table
  it.each<[string, string, string | undefined]>([
    ['an address',              told('198.51.100.5'),                                  '198.51.100.5'],
    ['white space around it',   told(' \n198.51.100.5 '),                              '198.51.100.5'],
    ['a type attribute',        told('198.51.100.5').replace('<NewExternalIPAddress>', '<NewExternalIPAddress dt:dt="string">'), '198.51.100.5'],
    ['a prefix',                told('198.51.100.5').replaceAll('NewExternal', 'u:NewExternal'), '198.51.100.5'],
    ['no address',              told(''),                                              undefined],
    ['0.0.0.0',                 told('0.0.0.0'),                                       undefined],
    ['text',                    told('not connected'),                                 undefined],
    ['an empty element',        soap('<NewExternalIPAddress/>'),                       undefined],
    ['a fault',                 soap('<s:Fault><faultcode>s:Client</faultcode></s:Fault>'), undefined],
    ['a document type',         `<!DOCTYPE x>${told('198.51.100.5')}`,                 undefined],
    ['more than 64 KiB',        told('198.51.100.5') + ' '.repeat(64 * 1024),          undefined],
  ])('decodes an answer with %s', (_, text, expected) => expect(decodeAddress(text)).toBe(expected))

  // biome-ignore format: a table
  it.each<[string, number | undefined]>([
    [soap('<NewUptime>86400</NewUptime>'),                    86_400],
    [soap('<u:NewUptime> 0 </u:NewUptime>'),                  0],
    [soap('<NewUptime>-1</NewUptime>'),                       undefined],
    [soap('<NewUptime>12345678901</NewUptime>'),              undefined],
    [soap('<NewUptime/>'),                                    undefined],
    [`<!DOCTYPE x>${soap('<NewUptime>5</NewUptime>')}`,       undefined],
  ])('decodes the age of a connection in %s', (text, expected) => expect(decodeUptime(text)).toBe(expected))

  // biome-ignore format: a table
  it.each<[string, string, string | undefined]>([
    ['an answer',                `HTTP/1.1 200 OK\r\nCACHE-CONTROL: max-age=120\r\nST: x\r\nLOCATION: ${LOCATION}\r\n\r\n`, LOCATION],
    ['small letters',            `http/1.0 200 ok\r\nlocation:${LOCATION}\r\n\r\n`,                  LOCATION],
    ['an announcement',          `NOTIFY * HTTP/1.1\r\nNTS: ssdp:alive\r\nLocation:  ${LOCATION} \r\n\r\n`, LOCATION],
    ['a search',                 `M-SEARCH * HTTP/1.1\r\nLOCATION: ${LOCATION}\r\n\r\n`,             undefined],
    ['an error',                 `HTTP/1.1 404 Not Found\r\nLOCATION: ${LOCATION}\r\n\r\n`,          undefined],
    ['no location',              'HTTP/1.1 200 OK\r\nST: x\r\n\r\n',                                 undefined],
    ['an empty location',        'HTTP/1.1 200 OK\r\nLOCATION:\r\nST: x\r\n\r\n',                    undefined],
    ['another header that ends so', `HTTP/1.1 200 OK\r\nX-LOCATION: ${LOCATION}\r\n\r\n`,            undefined],
  ])('decodes a location in %s', (_, text, expected) => expect(decodeLocation(Buffer.from(text))).toBe(expected))

  it('encodes a multicast search with MX, and a unicast search without', () => {
    const [group, one] = [encodeSearch('239.255.255.250', 1), encodeSearch('192.168.1.1')].map((bytes) =>
      Buffer.from(bytes).toString().split('\r\n'),
    )

    expect(group).toEqual([
      'M-SEARCH * HTTP/1.1',
      'HOST: 239.255.255.250:1900',
      'MAN: "ssdp:discover"',
      'MX: 1',
      'ST: urn:schemas-upnp-org:device:InternetGatewayDevice:1',
      '',
      '',
    ])
    expect(one?.filter((line) => /^(HOST|MX)/.test(line))).toEqual(['HOST: 192.168.1.1:1900'])
  })

  it('encodes the action with the type of the service', () => {
    const { body, headers } = encodeAction(
      'urn:schemas-upnp-org:service:WANIPConnection:2',
      'GetExternalIPAddress',
    )

    expect(headers['soapaction']).toBe(
      '"urn:schemas-upnp-org:service:WANIPConnection:2#GetExternalIPAddress"',
    )
    expect(body).toContain(
      '<u:GetExternalIPAddress xmlns:u="urn:schemas-upnp-org:service:WANIPConnection:2"/>',
    )
  })

  it('decodes every address', () =>
    fc.assert(
      fc.property(addressBytes, (bytes) => {
        expect(decodeAddress(told(textOf(bytes)))).toBe(isZero(bytes) ? undefined : textOf(bytes))
      }),
      RUNS,
    ))

  it('never throws, and returns absolute URLs only', () =>
    fc.assert(
      fc.property(
        fc.oneof(noise, damaged(Buffer.from(PLAIN)), damaged(Buffer.from(told('8.8.8.8')))),
        (bytes) => {
          const text = Buffer.from(bytes).toString()
          const found = decodeDescription(text, LOCATION)
          decodeAddress(text)
          decodeLocation(bytes)

          if (found !== undefined)
            for (const url of [found.control, found.events]) expect(URL.canParse(url)).toBe(true)
        },
      ),
      RUNS,
    ))

  // biome-ignore format: a table
  it.each([
    ['opening brackets',  '<'.repeat(65_000)],
    ['an endless tag',    `<NewExternalIPAddress ${'a'.repeat(65_000)}`],
    ['tags unclosed',     '<NewExternalIPAddress '.repeat(2800)],
    ['prefixes',          `<${'a:'.repeat(32_000)}`],
    ['services',          '<service>'.repeat(7200)],
    ['a long location',   `HTTP/1.1 200\r\nlocation: ${'a '.repeat(30_000)}`],
    ['spaces',            `HTTP/1.1 200\r\nlocation:${' '.repeat(60_000)}\r\n`],
  ])('decodes %s in time', (_, text) => {
    const cost = cpuOf(() => {
      decodeDescription(text, LOCATION)
      decodeAddress(text)
      decodeLocation(Buffer.from(text))
    })

    expect(cost).toBeLessThan(1000)
  })
})
