import type { FakeService, FakeWorld } from './service.ts'
import * as strict from './strict.ts'

// Document: www.dynu.com/DynamicDNS/IP-Update-Protocol: hostname is the domain, alias the name beneath it, and "no" leaves an
// address as it is. No dump of a refused alias was found.

const text = strict.answerWith({ 'content-type': 'text/plain' })
const FIELDS = ['hostname', 'alias', 'myip', 'myipv6', 'username', 'password', 'location', 'group']
const FAMILIES = [
  ['myip', 'A'],
  ['myipv6', 'AAAA'],
] as const

export const dynu: FakeService = {
  id: 'dynu',
  origin: 'https://api.dynu.com',
  make:
    (world: FakeWorld) =>
    ({ method, target, headers, body }) => {
      const { path, query } = strict.splitTarget(target)
      const stray = strict.strayQuery(query, FIELDS)
      if (path !== '/nic/update' || method !== 'GET' || body !== '' || stray !== undefined)
        return text(200, 'unknown', `request ${stray ?? path}`)
      const basic = Buffer.from(`${world.username}:${world.password}`).toString('base64')
      if (headers['authorization'] !== `Basic ${basic}`) return text(200, 'badauth', 'authorization')
      const [zone, alias] = [query.get('hostname') ?? '', query.get('alias')]
      const name = alias === null ? zone : `${alias}.${zone}`
      if (!world.zones.includes(zone)) return text(200, 'nohost', `no domain ${zone}`)
      let isChanged = false
      for (const [field, type] of FAMILIES) {
        const wanted = query.get(field)
        const record = world.records.find((one) => one.name === name && one.type === type)
        if (wanted === null || wanted === 'no' || record === undefined) continue
        if (!strict.fitsType(type, wanted)) return text(200, 'unknown', `${field}=${wanted}`)
        isChanged ||= record.value !== strict.canonicalValue(type, wanted)
        record.value = strict.canonicalValue(type, wanted)
      }
      return text(200, `${isChanged ? 'good' : 'nochg'} ${query.get('myip') ?? ''}`)
    },
}
