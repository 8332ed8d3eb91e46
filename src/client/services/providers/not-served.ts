import type { UnservedService } from './provider.ts'

const ALIAS =
  'point a CNAME in its zone at a name of a supported service, such as desec or your own name server'
const URL_FORM = 'set url to its update request, and success to its answer'

const signed = (what: string) => `needs each request signed with ${what}, which Holdfast does not do`
const undocumented = 'has answers that no source documents'

/** Services that other clients have, why they are not served by name, and what to use instead. */
// biome-ignore format: a table
export const NOT_SERVED = {
  'google-domains': { name: 'Google Domains', what: 'ended its dynamic DNS on 2024-07-10', instead: 'the domains are at Squarespace, which has none: move the zone', aliases: ['domains.google.com', 'domains.google', 'googledomains', 'googledomain'] },
  'dnsomatic':      { name: 'DNS-O-Matic',    what: 'announced its end in September 2026', instead: 'write an account for each of its services', aliases: ['updates.dnsomatic.com', 'update.dnsomatic.com', 'dnsomatic.com'] },
  'twodns':         { name: 'TwoDNS',         what: 'ended on 2024-12-20', aliases: ['update.twodns.de', 'twodns.de'] },
  'woima':          { name: 'dyn.woima.fi',   what: 'has ended; ddclient removed it with version 4.0.0', aliases: ['dyn.woima.fi'] },
  'dnspark':        { name: 'DNS Park',       what: 'may no longer exist; no source is newer than 2020', aliases: ['control.dnspark.com', 'dnspark.com'] },
  'dnsdynamic':     { name: 'dnsdynamic.org', what: 'may no longer exist; no source is newer than 2020', aliases: ['dnsdynamic.org'] },
  'domopoli':       { name: 'domopoli.de',    what: 'supports no TLS 1.2, so a password would not be safe', aliases: ['dyndns.domopoli.de', 'domopoli.de'] },
  'itsdns':         { name: "it's DNS",       what: 'may no longer exist', aliases: ['update.itsdns.de', 'itsdns.de'] },
  'hetzner-dns':    { name: 'the Hetzner DNS Console', what: 'ended in May 2026', instead: 'use provider hetzner with a token of the Hetzner Console', aliases: ['dns.hetzner.com'] },
  'route53':        { name: 'Amazon Route 53', what: signed('keys of AWS'), instead: ALIAS, aliases: ['aws', 'amazon', 'route53.amazonaws.com', 'route53-v1'] },
  'google-cloud-dns': { name: 'Google Cloud DNS', what: signed('the key of a service account'), instead: ALIAS, aliases: ['gcp', 'gcloud', 'gcp-v1', 'dns.googleapis.com'] },
  'azure':          { name: 'Azure DNS', what: 'needs a new Microsoft Entra token every hour', instead: ALIAS, aliases: ['azuredns', 'management.azure.com'] },
  'akamai':         { name: 'Akamai Edge DNS', what: signed('keys of EdgeGrid'), instead: ALIAS, aliases: ['edgedns', 'edge-dns'] },
  'aliyun':         { name: 'Alibaba Cloud DNS (Aliyun)', what: signed('an access key'), instead: ALIAS, aliases: ['alidns', 'aliyun.com', 'alidns.aliyuncs.com'] },
  'tencentcloud':   { name: 'Tencent Cloud DNS', what: signed('an access key'), instead: 'use provider dnspod with a token of DNSPod: the zones are the same', aliases: ['dnspod.cn-v3', 'dnspod-v3', 'dnspod.tencentcloudapi.com'] },
  'huaweicloud':    { name: 'Huawei Cloud DNS', what: signed('an access key'), instead: ALIAS, aliases: ['huaweicloud.com', 'huawei'] },
  'ovh-api':        { name: 'the API of OVH', what: signed('three keys and the time'), instead: 'use provider ovh, which is its DynHost', aliases: ['eu.api.ovh.com', 'ca.api.ovh.com'] },
  'active-directory': { name: 'DNS of Active Directory', what: 'wants GSS-TSIG (Kerberos)', instead: 'allow a TSIG key at a name server in front of it, and use provider rfc2136', aliases: ['windows', 'ad', 'gss-tsig'] },
  'namecheap-api':  { name: 'the full API of Namecheap', what: 'accepts requests from listed addresses only', instead: 'use provider namecheap, which is its dynamic DNS', aliases: ['api.namecheap.com'] },
  'mydns-jp':       { name: 'MyDNS.JP', what: undocumented, instead: URL_FORM, aliases: ['mydns.jp', 'mydns', 'www.mydns.jp'] },
  'yandex-pdd':     { name: 'Yandex PDD', what: undocumented, instead: URL_FORM, aliases: ['yandex', 'pdd.yandex.ru'] },
  'sitelutions':    { name: 'Sitelutions', what: undocumented, instead: URL_FORM, aliases: ['www.sitelutions.com'] },
  'cloudns':        { name: 'ClouDNS', what: 'has a separate URL for each record (DynURL)', instead: 'write that as url, its last part as {password}, and success = ["^OK"]', aliases: ['cloudns.net', 'ipv4.cloudns.net'] },
  'directnic':      { name: 'Directnic', what: 'has a separate URL for each record', instead: URL_FORM, aliases: ['directnic.com'] },
  'namesilo':       { name: 'NameSilo', what: 'is not served yet', instead: ALIAS, aliases: ['namesilo.com', 'www.namesilo.com'] },
  'spaceship':      { name: 'Spaceship', what: 'is not served yet', instead: ALIAS, aliases: ['spaceship.com', 'spaceship.dev'] },
  'dnsexit':        { name: 'DNSExit', what: 'is not served yet', instead: ALIAS, aliases: ['dnsexit2', 'dnsexit.com', 'api.dnsexit.com'] },
  'name-com':       { name: 'name.com', what: 'is not served yet', instead: ALIAS, aliases: ['name.com', 'api.name.com', 'namecom'] },
  'mythic-beasts':  { name: 'Mythic Beasts', what: 'is not served yet', instead: ALIAS, aliases: ['mythicdyn', 'mythicbeasts', 'api.mythic-beasts.com'] },
  'hostinger':      { name: 'Hostinger', what: 'is not served: a write may replace other records', instead: ALIAS, aliases: ['hostinger.com'] },
  'dnsimple':       { name: 'DNSimple', what: 'is not served yet', instead: ALIAS, aliases: ['dnsimple.com', 'api.dnsimple.com'] },
  'transip':        { name: 'TransIP', what: signed('a private key'), instead: ALIAS, aliases: ['transip.nl', 'api.transip.nl'] },
  'dreamhost':      { name: 'DreamHost', what: 'is not served: it changes a record by deleting it first', instead: ALIAS, aliases: ['dreamhost.com', 'api.dreamhost.com'] },
  'bunny':          { name: 'bunny.net DNS', what: 'is not served yet', instead: ALIAS, aliases: ['bunny.net', 'bunnynet'] },
  'nearlyfreespeech': { name: 'NearlyFreeSpeech.NET', what: signed('a hash of each request'), instead: ALIAS, aliases: ['nfsn', 'api.nearlyfreespeech.net'] },
  '1984':           { name: '1984 Hosting', what: undocumented, instead: URL_FORM, aliases: ['1984.is', '1984hosting'] },
  'dinahosting':    { name: 'dinahosting', what: undocumented, instead: URL_FORM, aliases: ['dinahosting.com'] },
} as const satisfies Record<string, UnservedService>
