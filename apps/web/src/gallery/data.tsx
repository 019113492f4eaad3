import { Package, Play, Rocket } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { AuditTimeline, type TimelineEntry } from '../ui/AuditTimeline.tsx'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { SearchInput } from '../ui/Input.tsx'
import { type LogFilter, type LogLine, LogView } from '../ui/LogView.tsx'
import { Markdown } from '../ui/Markdown.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { RowMenu } from '../ui/RowMenu.tsx'
import { SelectAll, SelectionBar, selectColumn } from '../ui/Selection.tsx'
import { StatusBadge } from '../ui/StatusBadge.tsx'
import { type Column, Table } from '../ui/Table.tsx'
import { useSelection } from '../ui/use-selection.ts'
import { Row, Shelf } from './parts.tsx'

type Thing = { id: string; name: string; state: string; updated: number; application: string }
const states = ['running', 'restarting', 'suspended', 'safe', 'error']
const now = Date.now()
const things = (count: number): Thing[] =>
  Array.from({ length: count }, (_, index) => ({
    id: String(index),
    name: `oven-line-${index + 1}`,
    state: states[index % states.length] ?? 'running',
    updated: now - index * 3_700_000 - 60_000,
    application: index % 3 === 0 ? 'Cold store' : 'Oven line',
  }))

const columns: Column<Thing>[] = [
  { id: 'name', header: 'Name', value: (row) => row.name },
  { id: 'state', header: 'Status', value: (row) => row.state, cell: (row) => <StatusBadge state={row.state} /> },
  {
    id: 'updated',
    header: 'Last Updated',
    value: (row) => row.updated,
    searchable: false,
    cell: (row) => <RelativeTime time={row.updated} />,
  },
  { id: 'application', header: 'Application', value: (row) => row.application },
  {
    id: 'menu',
    header: '',
    align: 'end',
    width: 'w-14',
    cell: (row) => (
      <RowMenu name={row.name} items={[{ label: 'Restart' }, 'divider', { label: 'Delete Instance', danger: true }]} />
    ),
  },
]

const few = things(5)
const many = things(10_000)
const none: Thing[] = []
const empty = <EmptyState icon={<Package />} title="No devices found." />

function Selecting() {
  const selection = useSelection(few)
  return (
    <>
      <div>
        <SelectAll selection={selection} />
      </div>
      <SelectionBar label="Selected instances" count={selection.ids.length + 1} onClear={selection.clear}>
        <Button size="sm" icon={<Play size={14} aria-hidden />}>
          Start
        </Button>
      </SelectionBar>
      <Table
        label="Selectable"
        rows={few}
        columns={[selectColumn<Thing>(selection), ...columns]}
        rowId={(row) => row.id}
        rowTo={(row) => `/instance/${row.id}`}
        empty={empty}
      />
    </>
  )
}

export function Data() {
  const [search, setSearch] = useState('')
  return (
    <>
      <Shelf name="Table">
        <SearchInput label="Search Instances..." value={search} onChange={setSearch} className="sm:w-80" />
        <Table
          label="Instances"
          rows={few}
          columns={columns}
          rowId={(row) => row.id}
          rowTo={(row) => `/instance/${row.id}`}
          sort={{ id: 'name', desc: false }}
          search={search}
          onClearSearch={() => setSearch('')}
          onLoadMore={() => {}}
          empty={empty}
        />
      </Shelf>
      <Shelf name="Table with a selection">
        <Selecting />
      </Shelf>
      <Shelf name="Table: 10,000 rows, no results, empty, loading">
        <Table
          label="Many"
          rows={many}
          columns={columns}
          rowId={(row) => row.id}
          onRowClick={() => {}}
          search={search}
          empty={empty}
        />
        <Table
          label="None found"
          rows={few}
          columns={columns}
          rowId={(row) => row.id}
          search="yeast"
          empty={empty}
          onClearSearch={() => {}}
        />
        <Table label="Empty" rows={none} columns={columns} rowId={(row) => row.id} empty={empty} />
        <Table label="Loading" rows={undefined} columns={columns} rowId={(row) => row.id} empty={empty} />
      </Shelf>
      <Shelf name="Markdown">
        <Markdown
          text={'# Ovens\nRoom for **heavy** flows, see [the list](https://example.com).\n\n- two *ovens*\n- `4 GB`'}
        />
      </Shelf>
      <Shelf name="Log view">
        <Logs />
      </Shelf>
      <Shelf name="Audit timeline">
        <AuditTimeline entries={entries} onLoadMore={() => {}} />
        <AuditTimeline entries={[]} />
        <AuditTimeline entries={[]} onLoadMore={() => {}} />
        <AuditTimeline entries={undefined} />
      </Shelf>
    </>
  )
}

const day = 86_400_000
const entries: TimelineEntry[] = [
  {
    id: '1',
    time: now - 120_000,
    icon: <Rocket />,
    label: 'Flows deployed',
    who: 'Alice Example',
    info: 'Full deploy of oven-line-prod',
  },
  { id: '2', time: now - 3_700_000, icon: <Play />, label: 'Instance started', who: 'Bob Example' },
  {
    id: '3',
    time: now - day,
    icon: <Play />,
    label: 'Instance started',
    who: 'Alice Example',
    error: {
      message: 'The stack is not installed.',
      detail: '{\n  "code": "stack_missing",\n  "error": "The stack is not installed."\n}',
    },
  },
  ...[2, 3, 4].map((ago) => ({
    id: `d${ago}`,
    time: now - ago * day,
    icon: <Package />,
    label: 'Module installed',
    who: 'Alice Example',
  })),
]

const samples: [string, string][] = [
  ['info', 'Server now running at /run/forge/oven-line-prod.sock'],
  ['info', 'Started flows'],
  ['info', '[modbus-client:Oven PLC] connecting to 10.20.4.11:502'],
  ['warn', '[modbus-client:Oven PLC] reply took 2,140 ms'],
  [
    'info',
    '\u001b[32m[mqtt-broker:plant]\u001b[0m Connected to broker: \u001b[1mmqtts://broker.example.com:8883\u001b[0m',
  ],
  ['error', "[function:Normalise] TypeError: Cannot read properties of undefined (reading 'zones')"],
  ['debug', '[http in:/oven/3] 200 in 2 ms'],
]
const line = (index: number): LogLine => {
  const [level, msg] = samples[index % samples.length] as [string, string]
  return { ts: now - 100_000_000 + index * 713, level, msg }
}
const start = Array.from({ length: 100_000 }, (_, index) => line(index))

function Logs() {
  const [count, setCount] = useState(0)
  const [live, setLive] = useState(false)
  const [filter, setFilter] = useState<LogFilter>({ search: '', level: 'all', only: false })
  useEffect(() => {
    if (!live) return
    const timer = setInterval(() => setCount((at) => at + 3), 250)
    return () => clearInterval(timer)
  }, [live])
  const lines = useMemo(
    () => [...start, ...Array.from({ length: count }, (_, index) => line(100_000 + index))],
    [count],
  )
  return (
    <>
      <Row>
        <Button size="sm" aria-pressed={live} onClick={() => setLive(!live)}>
          {live ? 'Stop' : 'Let it run'}
        </Button>
      </Row>
      <div className="flex h-120">
        <LogView lines={lines} filter={filter} onFilter={setFilter} onDownload={() => {}} onLoadEarlier={() => {}} />
      </div>
    </>
  )
}
