import { domainToASCII, domainToUnicode } from 'node:url'
import type { FakeRecord, FakeRequest, FakeResponse, FakeService, FakeWorld } from './service.ts'
import { textOf } from './service.ts'
import * as strict from './strict.ts'

// Documents: dnspod.github.io/dnspod-api-doc (records.txt, info.txt), support.dnspod.cn (common parameters
// and returns), docs.dnspod.com/api-legacy. Every answer has HTTP 200; `status.code` decides. Keys of
// `extra`: line, line_id, weight (null or 0 to 100), status (enable, disable), remark, mx.

/** Texts in English (`lang` en, the default) and as on the Chinese page. */
const TEXTS: Readonly<Record<string, readonly [string, string]>> = {
  '1': ['Action completed successful', 'Action completed successful'],
  '-1': ['Login fail, please check login info', '登陆失败。'], // dump: rehiy/dnspod-shell#57, 2020-09-30
  // dump: acme.sh#4651, 2023-06-02
  '10002': ['The login token ID is invalid', 'The login token ID is invalid'],
  '-8': [
    'Login has failed too many times, the account is blocked for a while.',
    '登录失败次数过多，帐号被暂时封禁。',
  ], // no dump
  '-2': ['API usage is limited.', 'API使用超出限制。'], // no dump
  '2': ['Only POST is allowed.', '只允许 POST 方法。'], // no dump
  '6': ['Lack of parameters or something wrong with it.', '缺少参数或者参数错误'],
  '7': ["You don't have the permission.", '不是域名所有者或者没有权限'],
  '8': ['Invalid record id.', '记录 ID 错误'], // no dump
  '10': ['No records on the list', '记录列表为空。'], // the text that clients match
  '21': ['Domain got locked.', '域名被锁定'],
  '22': ['Invalid sub_domain.', '子域名不合法'],
  '26': ['Invalid line.', '记录线路错误'],
  '27': ['Invalid record type.', '记录类型错误'],
  '30': ['Invalid MX value.', 'MX 值错误，1-20'],
  '31': ['There are conflicting records.', '存在冲突的记录（A记录、CNAME记录、URL记录不能共存）'],
  '32': ['The TTL is out of range.', '记录的TTL值超出了限制'], // no dump in English
  '34': ['Invalid record value.', '记录值非法'],
  '104': ['Domain record already exists', '记录已经存在，无需再次添加'], // text: acme.sh dns_dp; the code is not on a page
}

const COMMON = ['login_token', 'format', 'lang', 'error_on_empty', 'user_id']
const ZONE = ['domain', 'domain_id']
const RECORD = strict.words('sub_domain record_type record_line record_line_id value mx ttl status weight')
const LIST = ['offset', 'length', 'sub_domain', 'record_type', 'record_line', 'record_line_id', 'keyword']
const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  '/Domain.List': [...COMMON, 'type', 'offset', 'length', 'group_id', 'keyword'],
  '/Domain.Info': [...COMMON, ...ZONE],
  '/Record.List': [...COMMON, ...ZONE, ...LIST],
  '/Record.Create': [...COMMON, ...ZONE, ...RECORD],
  '/Record.Modify': [...COMMON, ...ZONE, ...RECORD, 'record_id'],
}
/** Names and ids of the lines of the free grade. */
const LINES: Readonly<Record<string, string>> = {
  默认: '0',
  国内: '7=0',
  国外: '3=0',
  电信: '10=0',
  联通: '10=1',
  教育网: '10=2',
  移动: '10=3',
  百度: '90=0',
  谷歌: '90=1',
  搜搜: '90=4',
  有道: '90=2',
  必应: '90=3',
  搜索引擎: '80=0',
}
const TYPES = strict.words('A CNAME MX TXT NS AAAA SRV 显性URL 隐性URL CAA SPF HTTPS SVCB')
/** Of the grade D_Free. */
const LEAST_TTL = 600
const CREATED_AT = '2026-11-27 10:00:00'
const WRONG_LOGINS = 30
/** In an hour, by the page of Record.Ddns; not found again for this file. */
const UNCHANGED_WRITES = 5

const xml = (value: unknown, tag: string): string => {
  if (Array.isArray(value)) return `<${tag}>${value.map((item) => xml(item, 'item')).join('\n')}</${tag}>`
  if (typeof value === 'object' && value !== null)
    return `<${tag}>\n${Object.entries(value)
      .map(([key, item]) => xml(item, key))
      .join('\n')}\n</${tag}>`
  const text = value === null ? '' : textOf(value)
  return /[&<>]|[^\0-\x7f]| /.test(text) && tag === 'message'
    ? `<${tag}><![CDATA[${text}]]></${tag}>`
    : `<${tag}>${text.replace(/&/g, '&amp;').replace(/</g, '&lt;')}</${tag}>`
}

const make = (world: FakeWorld) => {
  const unchanged = new WeakMap<FakeRecord, number>()
  let wrongLogins = 0
  const idOf = strict.idsOf((before) => String(16894439 + before))
  const zoneIdOf = strict.idsOf((before) => String(2317346 + before))
  const zoneOf = (name: string) => strict.zoneOfName(world, name)
  const labelOf = (record: FakeRecord, zone: string) => strict.labelIn(zone, record.name, '@')
  const lineOf = (record: FakeRecord) => textOf(record.extra['line'] ?? '默认')

  return (request: FakeRequest): FakeResponse => {
    const params = new URLSearchParams(request.body)
    const send = (code: string, members: object, why?: string): FakeResponse => {
      const texts = TEXTS[code] ?? ['', '']
      const message = params.get('lang') === 'cn' ? texts[1] : texts[0]
      const body = { status: { code, message, created_at: CREATED_AT }, ...members }
      const isJson = params.get('format') === 'json'
      const answer = strict.answerWith({ 'content-type': `text/${isJson ? 'html' : 'xml'}; charset=UTF-8` })
      const text = isJson ? body : `<?xml version="1.0" encoding="UTF-8"?>\n${xml(body, 'dnspod')}`
      return answer(200, text, why)
    }
    const refuse = (code: string, why: string) => send(code, {}, why)

    const allowed = ACTIONS[request.target]
    if (allowed === undefined) return strict.answerWith({})(404, '', `no action ${request.target}`) // no dump
    if (request.method !== 'POST') return refuse('2', 'not POST')
    if (!strict.isSentAs('application/x-www-form-urlencoded', request))
      return refuse('-1', 'content-type is not application/x-www-form-urlencoded')
    if (!/^\S[^(]*\/[^\s(]+ ?\(.+\)/.test(request.headers['user-agent'] ?? ''))
      return refuse('-2', 'user-agent is not "name/version (address)"')
    if (!/^([\w.~*+!'(),;:@$/?=&-]|%[0-9a-f]{2})*$/i.test(request.body))
      return refuse('6', 'body is not percent-encoded')
    if (wrongLogins >= WRONG_LOGINS) return refuse('-8', 'too many wrong logins')
    const token = params.get('login_token') ?? ''
    if (token !== `${world.username},${world.password}`) {
      wrongLogins += 1
      const [id = ''] = token.split(',')
      return refuse(id === world.username || /^(\d+|)$/.test(id) ? '-1' : '10002', 'login_token')
    }
    for (const key of new Set(params.keys())) {
      if (!allowed.includes(key)) return refuse('6', `unknown parameter ${key}`)
      if (params.getAll(key).length > 1) return refuse('6', `parameter ${key} twice`)
    }
    for (const [key, values] of [
      ['format', 'json xml'],
      ['lang', 'en cn'],
      ['error_on_empty', 'yes no'],
    ] as const) {
      const value = params.get(key)
      if (value !== null && !values.split(' ').includes(value)) return refuse('6', `${key}=${value}`)
    }

    const domain = (zone: string) => ({
      id: zoneIdOf(zone),
      name: domainToUnicode(zone),
      punycode: zone,
      grade: 'D_Free',
      owner: 'api@dnspod.com',
      ext_status: '',
      ttl: 600,
      min_ttl: LEAST_TTL,
    })
    if (request.target === '/Domain.List') {
      const offset = Number(params.get('offset') ?? 0)
      const zones = world.zones.slice(offset, offset + Number(params.get('length') ?? 3000))
      return send('1', {
        info: { domain_total: zones.length, all_total: world.zones.length, mine_total: world.zones.length },
        domains: zones.map((zone) => ({ ...domain(zone), status: 'enable' })),
      })
    }

    const wanted = domainToASCII(params.get('domain') ?? '')
    const zoneId = params.get('domain_id')
    const zone = world.zones.find((item) => (zoneId === null ? item === wanted : zoneIdOf(item) === zoneId))
    if (zone === undefined) return refuse(/List|Info/.test(request.target) ? '6' : '7', 'no such domain')
    if (request.target === '/Domain.Info') return send('1', { domain: { ...domain(zone), status: 'enable' } })

    const label = params.get('sub_domain')
    if (label !== null && !/^(@|\*|(\*\.)?[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*)$/i.test(label))
      return refuse('22', `sub_domain=${label}`)
    const type = params.get('record_type')
    if (type !== null && !TYPES.includes(type)) return refuse('27', `record_type=${type}`)
    const lineId = params.get('record_line_id')
    const line =
      lineId === null
        ? params.get('record_line')
        : (Object.keys(LINES).find((name) => LINES[name] === lineId) ?? lineId)
    if (line !== null && LINES[line] === undefined) return refuse('26', `line ${line}`)

    if (request.target === '/Record.List') {
      const offset = Number(params.get('offset') ?? 0)
      const length = Number(params.get('length') ?? 500)
      if (!Number.isInteger(offset) || !Number.isInteger(length)) return refuse('6', 'offset or length')
      const keyword = params.get('keyword')
      const found = world.records.filter(
        (record) =>
          zoneOf(record.name) === zone &&
          (label === null || labelOf(record, zone) === label.toLowerCase()) &&
          (type === null || record.type === type) &&
          (line === null || lineOf(record) === line) &&
          (keyword === null || `${labelOf(record, zone)} ${record.value}`.includes(keyword)),
      )
      if (found.length === 0 && params.get('error_on_empty') !== 'no') return send('10', {})
      const page = found.slice(offset, offset + length)
      return send('1', {
        domain: domain(zone),
        info: {
          sub_domains: String(new Set(found.map((record) => record.name)).size),
          record_total: String(found.length),
          records_num: String(page.length),
        },
        records: page.map((record) => ({
          id: idOf(record),
          ttl: String(record.ttl),
          value: record.value,
          enabled: record.extra['status'] === 'disable' ? '0' : '1',
          status: record.extra['status'] ?? 'enable',
          updated_on: CREATED_AT,
          name: labelOf(record, zone),
          line: lineOf(record),
          line_id: record.extra['line_id'] ?? LINES[lineOf(record)] ?? '0',
          type: record.type,
          weight: record.extra['weight'] ?? null,
          monitor_status: '',
          remark: record.extra['remark'] ?? '',
          use_aqb: 'no',
          mx: textOf(record.extra['mx'] ?? 0),
        })),
      })
    }

    if (world.isReadOnly) return refuse('7', 'the domain is shared for reading only')
    const isCreate = request.target === '/Record.Create'
    const old = world.records.find(
      (record) => zoneOf(record.name) === zone && idOf(record) === params.get('record_id'),
    )
    if (!isCreate && old === undefined) return refuse('8', 'no such record_id')
    if (type === null) return refuse('27', 'record_type is missing')
    if (line === null) return refuse('26', 'record_line is missing')
    const value = params.get('value')
    if (value === null || value === '') return refuse('34', 'value is missing')
    if (!strict.fitsType(type, value)) return refuse('34', `value ${value}`)
    const ttl = Number(params.get('ttl') ?? LEAST_TTL)
    if (!/^\d+$/.test(params.get('ttl') ?? '0') || ttl < LEAST_TTL || ttl > 604800)
      return refuse('32', `ttl ${ttl}`)
    const mx = params.get('mx')
    if (type === 'MX' && !(Number(mx) >= 1 && Number(mx) <= 20)) return refuse('30', `mx ${mx}`)
    const status = params.get('status') ?? 'enable'
    if (!['enable', 'disable'].includes(status)) return refuse('6', `status ${status}`)
    const weight = params.get('weight') ?? ''
    if (!/^(\d{1,2}|100|)$/.test(weight)) return refuse('6', `weight ${weight}`)

    const name = label === null || label === '@' ? zone : `${label.toLowerCase()}.${zone}`
    const others = world.records.filter(
      (record) => record !== old && record.name === name && lineOf(record) === line,
    )
    if (others.some((record) => (record.type === 'CNAME') !== (type === 'CNAME') && record.type !== 'NS'))
      return refuse('31', 'CNAME beside another type')
    if (others.some((record) => record.type === type && (record.value === value || type === 'CNAME')))
      return refuse('104', 'the record exists')
    const extra = {
      ...old?.extra,
      line,
      line_id: LINES[line] ?? '0',
      status,
      weight: weight === '' ? null : Number(weight),
      ...(mx === null ? {} : { mx: Number(mx) }),
    }
    if (old === undefined) {
      const record = { name, type, value, ttl, extra: { ...extra, remark: '' } }
      world.records.push(record)
      return send('1', { record: { id: idOf(record), name: labelOf(record, zone), status } })
    }
    const count = unchanged.get(old) ?? 0
    const isSame = old.value === value && old.name === name && old.type === type && old.ttl === ttl
    if (isSame && count >= UNCHANGED_WRITES) return refuse('21', 'changes that change nothing')
    unchanged.set(old, isSame ? count + 1 : 0)
    Object.assign(old, { name, type, value, ttl, extra })
    return send('1', { record: { id: Number(idOf(old)), name: labelOf(old, zone), value, status } })
  }
}

export const dnspod: FakeService = { id: 'dnspod', origin: 'https://dnsapi.cn', make }
