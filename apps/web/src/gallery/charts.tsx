import { useState } from 'react'
import { LineChart, Sparkline } from '../ui/LineChart.tsx'
import type { Values } from '../ui/chart-model.ts'
import { Row, Shelf } from './parts.tsx'

const wave = (height: number, shift: number): Values =>
  Array.from({ length: 60 }, (_, n) => (n > 20 && n < 26 ? null : height * (1 + Math.sin((n + shift) / 7))))
const none: Values = Array.from({ length: 60 }, () => null)
const ticks = ['12:00', '12:15', '12:30', '12:45', '13:00']
const timeAt = (index: number) => `12:${String(index).padStart(2, '0')}`

export function Charts() {
  const [cursor, setCursor] = useState<number>()
  const shared = { timeAt, ticks, cursor, onCursor: setCursor }
  const percent = { ...shared, format: (value: number) => `${Math.round(value)} %`, least: 10 }
  const memory = { ...shared, format: (value: number) => `${Math.round(value)} MB`, least: 64 }
  return (
    <>
      <Shelf name="Line chart">
        <LineChart title="CPU" values={wave(20, 0)} marks={{ at: [30], label: 'started' }} {...percent} />
        <LineChart
          title="Memory"
          values={wave(60, 0)}
          second={{ values: wave(50, 9), names: ['57ab', '57ac'] }}
          note="of 256 MB"
          {...memory}
        />
        <LineChart title="Nothing measured" values={none} {...percent} />
      </Shelf>
      <Shelf name="Sparkline">
        <Row>
          <Sparkline values={wave(20, 0)} least={10} label="CPU of the last hour" />
          <Sparkline values={none} least={10} label="Nothing measured" />
        </Row>
      </Shelf>
    </>
  )
}
