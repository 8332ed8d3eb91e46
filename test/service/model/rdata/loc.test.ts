import { describe } from 'vitest'
import { accepts, refuses } from './values.ts'

const DEFAULTS = '1m 10000m 10m'
const ZERO = `0 0 0.000 N 0 0 0.000 E 0.00m ${DEFAULTS}`

describe('LOC has one form, with every field', () =>
  accepts('LOC', [
    // The examples of RFC 1876 §4.
    ['42 21 54 N 71 06 18 W -24m 30m', '42 21 54.000 N 71 6 18.000 W -24.00m 30m 10000m 10m'],
    ['42 21 43.952 N 71 5 6.344 W -24m 1m 200m', '42 21 43.952 N 71 5 6.344 W -24.00m 1m 200m 10m'],
    ['52 14 05 N 00 08 50 E 10m', `52 14 5.000 N 0 8 50.000 E 10.00m ${DEFAULTS}`],
    ['32 7 19 S 116 2 25 E 10m', `32 7 19.000 S 116 2 25.000 E 10.00m ${DEFAULTS}`],
    ['42 21 28.764 N 71 00 51.617 W -44m 2000m', '42 21 28.764 N 71 0 51.617 W -44.00m 2000m 10000m 10m'],
    ['0 N 0 E 0', ZERO],
    ['000 0 0.0 s\t00 w -0.00M', ZERO],
    ['90 S 180 W -100000', `90 0 0.000 S 180 0 0.000 W -100000.00m ${DEFAULTS}`],
    ['89 59 59.999 n 179 59 59.999 e 42849672.95', `89 59 59.999 N 179 59 59.999 E 42849672.95m ${DEFAULTS}`],
    ['1 2 N 3 E .5'.replace('.5', '0.5'), `1 2 0.000 N 3 0 0.000 E 0.50m ${DEFAULTS}`],
    ['0 N 0 E 0 0 0.01 90000000', '0 0 0.000 N 0 0 0.000 E 0.00m 0.00m 0.01m 90000000m'],
    ['0 N 0 E 0 0.9m 1.00m 3', '0 0 0.000 N 0 0 0.000 E 0.00m 0.90m 1m 3m'],
    ['0 N 0 E 0 0.20m 0.1m 0.09m', '0 0 0.000 N 0 0 0.000 E 0.00m 0.20m 0.10m 0.09m'],
  ]))

const FORM =
  '"DEGREES [MINUTES [SECONDS]] N|S DEGREES [MINUTES [SECONDS]] E|W ALTITUDE [SIZE [HORIZONTAL [VERTICAL]]]"'
const form = (value: string): readonly [string, string] => [value, `'${value}' is not ${FORM}`]
const distance = (name: string, text: string): string =>
  `the ${name} '${text}' is not a number of metres from 0 to 90000000 with at most 2 decimals`
const digit = (name: string, text: string): string =>
  `the ${name} '${text}' is not one digit times a power of ten, such as 20m, 3m or 0.05m`
const altitude = (text: string): string =>
  `the altitude '${text}' is not a number of metres from -100000 to 42849672.95 with at most 2 decimals`

describe('LOC is refused', () =>
  refuses('LOC', [
    form('0 N 0 E'),
    form('0 0 0'),
    form('0 E 0 N 0'),
    form('N 0 E 0'),
    form('0 N E 0'),
    form('0 0 0 0 N 0 E 0'),
    form('0 N 0 0 0 0 E 0'),
    form('0 N 0 E 0 1 1 1 1'),
    ['91 N 0 E 0', "the degrees of the latitude '91 N' are not a whole number from 0 to 90"],
    ['1.5 N 0 E 0', "the degrees of the latitude '1.5 N' are not a whole number from 0 to 90"],
    ['0 N 181 E 0', "the degrees of the longitude '181 E' are not a whole number from 0 to 180"],
    ['0 N -1 E 0', "the degrees of the longitude '-1 E' are not a whole number from 0 to 180"],
    ['0 60 N 0 E 0', "the minutes of the latitude '0 60 N' are not a whole number from 0 to 59"],
    [
      '0 0 60 N 0 E 0',
      "the seconds of the latitude '0 0 60 N' are not a number from 0 to 59.999 with at most 3 decimals",
    ],
    [
      '0 N 0 0 1.2345 E 0',
      "the seconds of the longitude '0 0 1.2345 E' are not a number from 0 to 59.999 with at most 3 decimals",
    ],
    ['90 0 0.001 N 0 E 0', "the latitude '90 0 0.001 N' is larger than 90 degrees"],
    ['0 N 180 1 E 0', "the longitude '180 1 E' is larger than 180 degrees"],
    ['0 N 0 E -100000.01', altitude('-100000.01')],
    ['0 N 0 E 42849672.96', altitude('42849672.96')],
    ['0 N 0 E 1.234m', altitude('1.234m')],
    ['0 N 0 E +1', altitude('+1')],
    ['0 N 0 E 1m1', altitude('1m1')],
    ['0 N 0 E 1km', altitude('1km')],
    ['0 N 0 E 0 90000000.01', distance('size', '90000000.01')],
    ['0 N 0 E 0 -1', distance('size', '-1')],
    ['0 N 0 E 0 15m', digit('size', '15m')],
    ['0 N 0 E 0 1 1.01m', digit('horizontal precision', '1.01m')],
    ['0 N 0 E 0 1 1 1e3', distance('vertical precision', '1e3')],
  ]))
