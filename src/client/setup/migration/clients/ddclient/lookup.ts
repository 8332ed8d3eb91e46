import type { Family } from '../../../../../shared/base/address.ts'
import type { DdclientSettings } from './lines.ts'
import type { ImportedUpdate, Lookup, Remarks } from '../../imported.ts'
import {
  commandLookup,
  DEFAULT_LOOKUP,
  fixedLookup,
  interfaceLookup,
  isAddressPage,
  shownPage,
  routerLookup,
} from '../../lookup.ts'

/** A way to the address, and the families that it is for. */
type DdclientLookup = Pick<ImportedUpdate, 'lookup' | 'ipv4' | 'ipv6'>

const isOff = (value: string): boolean => /^(?:no|disabled)$/i.test(value)

/** How the address of each family is looked up: `use` for IPv4, or `usev4` and `usev6`. What is not named is not updated. */
export function ddclientLookups(
  all: DdclientSettings,
  line: number,
  remarks: Remarks,
): readonly DdclientLookup[] {
  const [own, v6, use] = [all.get('usev4'), all.get('usev6'), all.get('use')]
  const ipv6 = v6 !== undefined && !isOff(v6.value)
  // Without any way, the address is that of `ip`; and `use` counts where both others are off.
  const isUse = own === undefined || (isOff(own.value) && !ipv6)
  const v4 = isUse ? (use ?? all.get('ip') ?? own) : own
  const ipv4 = v4 === undefined ? !ipv6 : !isOff(v4.value)
  if (!ipv4 && !ipv6)
    remarks.add(
      'changed',
      line,
      'use is off, so ddclient sends no address; here the IPv4 address is looked up',
    )
  const ofV4 =
    ipv4 && v4 !== undefined ? lookupFor(isUse ? withoutV4(all) : all, 'v4', remarks) : DEFAULT_LOOKUP
  const isFixedV6 = ofV4.kind === 'fixed' && ofV4.addresses.every((one) => one.includes(':'))
  if (isFixedV6 && !ipv6) return [{ lookup: ofV4, ipv4: false, ipv6: true }]
  return [
    ...(ipv4 || !ipv6 ? [{ lookup: ofV4, ipv4: true, ipv6: false }] : []),
    ...(ipv6 ? [{ lookup: lookupFor(all, 'v6', remarks), ipv4: false, ipv6: true }] : []),
  ]
}

const withoutV4 = (all: DdclientSettings): DdclientSettings =>
  new Map([...all].filter(([name]) => name !== 'usev4'))

function lookupFor(all: DdclientSettings, family: Family, remarks: Remarks): Lookup {
  const chosen = all.get(`use${family}`) ?? all.get('use')
  const line = chosen?.line ?? 0
  const use = (chosen?.value ?? 'ip').replace(/v[46]$/, '')
  if (
    chosen !== undefined &&
    chosen === all.get(`use${family}`) &&
    /^(?:web|if|ip|cmd|fw)$/.test(chosen.value)
  )
    remarks.once('changed', line, `use${family}=${chosen.value} is read as ${chosen.value}${family}`)
  const detail = (name: string): string | undefined => (all.get(`${name}${family}`) ?? all.get(name))?.value
  if (use === 'web')
    return webLookup(detail('web'), detail('web-skip') ?? all.get(`web${family}-skip`)?.value, {
      line,
      remarks,
    })
  // The default of ddclient.
  if (use === 'if') return interfaceLookup(detail('if') ?? (chosen?.value === 'if' ? 'ppp0' : undefined))
  if (use === 'cmd') {
    if (detail('cmd-skip') !== undefined)
      remarks.once('lost', line, 'cmd-skip has no counterpart: the program must print the address alone')
    return commandLookup(detail('cmd') ?? '')
  }
  if (use === 'ip') {
    const fixed = fixedLookup(detail('ip') ?? '')
    if (fixed === undefined)
      remarks.add(
        'lost',
        line,
        `the address ${detail('ip') ?? ''} of use=ip is not an address; the default sources are used`,
      )
    return fixed ?? DEFAULT_LOOKUP
  }
  remarks.once(
    'changed',
    line,
    `use=${use} reads a page of the router; here the router is asked by its protocols (NAT-PMP, PCP, UPnP)`,
  )
  return routerLookup
}

interface WebPlace {
  readonly line: number
  readonly remarks: Remarks
}

function webLookup(page: string | undefined, skip: string | undefined, { line, remarks }: WebPlace): Lookup {
  if (page === undefined || isAddressPage(page)) {
    remarks.once(
      'dropped',
      line,
      `the page ${page === undefined ? 'for the address' : shownPage(page)}: the default sources are used`,
    )
    return DEFAULT_LOOKUP
  }
  const url = /^[a-z]+:/i.test(page) ? shownPage(page) : `https://${shownPage(page)}`
  const advice =
    skip === undefined
      ? `to use it, write sources = ["${url}"] and agreement = "one"`
      : 'a page with other text around the address cannot be used'
  remarks.once('changed', line, `the page ${shownPage(page)}: the default sources are used; ${advice}`)
  return DEFAULT_LOOKUP
}
