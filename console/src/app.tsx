/** Which page stands at which path. Each comes when it is first asked for. */

import { QueryClientProvider } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { Redirect, Route, Switch } from "wouter";
import { ApiProvider, createQueryClient } from "./api/api-context.tsx";
import { createApi } from "./api/client.ts";
import type { Config } from "./config.ts";
import { ConfigProvider } from "./config-context.tsx";
import { ConsentDoor } from "./consent/consent-door.tsx";
import { Session } from "./session/session.ts";
import { SessionProvider, useSessionState } from "./session/session-context.tsx";
import { SessionGate } from "./session/session-gate.tsx";
import { Failure } from "./shell/failure.tsx";
import { Shell } from "./shell/shell.tsx";
import { WorkspaceGate } from "./shell/workspace-context.tsx";
import { Empty } from "./ui/empty.tsx";
import { Loading } from "./ui/loading.tsx";

const TasksPage = lazy(() => import("./tasks/tasks-page.tsx"));
const TaskPage = lazy(() => import("./tasks/task-page.tsx"));
const ConnectionsPage = lazy(() => import("./connections/connections-page.tsx"));
const ConnectionPage = lazy(() => import("./connections/connection-page.tsx"));
const AddToolPage = lazy(() => import("./add-tool/add-tool-page.tsx"));
const LogPage = lazy(() => import("./log/log-page.tsx"));
const CatchUpPage = lazy(() => import("./catch-up/catch-up-page.tsx"));
const PeoplePage = lazy(() => import("./people/people-page.tsx"));
const ConsentPage = lazy(() => import("./consent/consent-page.tsx"));

export function App({ config, session }: { config: Config; session: Session }) {
  return (
    <ConfigProvider value={config}>
      <SessionProvider value={session}>
        <Failure>
          <Switch>
            <Route path="/connect/consent">
              <ConsentDoor>
                <SignedIn config={config} session={session}>
                  <ConsentPage />
                </SignedIn>
              </ConsentDoor>
            </Route>
            <Route>
              <SessionGate>
                <SignedIn config={config} session={session}>
                  <WorkspaceGate>
                    <Shell>
                      <Pages />
                    </Shell>
                  </WorkspaceGate>
                </SignedIn>
              </SessionGate>
            </Route>
          </Switch>
        </Failure>
      </SessionProvider>
    </ConfigProvider>
  );
}

/** What one person was answered is forgotten with them. */
function SignedIn({ config, session, children }: { config: Config; session: Session; children: ReactNode }) {
  const { person } = useSessionState();
  return <AnswersOf key={person?.id} config={config} session={session}>{children}</AnswersOf>;
}

function AnswersOf({ config, session, children }: { config: Config; session: Session; children: ReactNode }) {
  const [queries] = useState(createQueryClient);
  const [api] = useState(() => createApi(config.api, session));
  return (
    <QueryClientProvider client={queries}>
      <ApiProvider value={api}>
        <Suspense
          fallback={
            <div className="page">
              <Loading what="Opening" />
            </div>
          }
        >
          {children}
        </Suspense>
      </ApiProvider>
    </QueryClientProvider>
  );
}

function Pages() {
  return (
    <Suspense
      fallback={
        <div className="page">
          <Loading what="Opening" />
        </div>
      }
    >
      <Switch>
        <Route path="/">
          <Redirect to="/tasks" replace />
        </Route>
        <Route path="/tasks">
          <TasksPage />
        </Route>
        <Route path="/tasks/:id">{({ id }) => <TaskPage key={id} id={id} />}</Route>
        <Route path="/connections">
          <ConnectionsPage />
        </Route>
        <Route path="/connections/new">
          <AddToolPage />
        </Route>
        <Route path="/connections/:slug">{({ slug }) => <ConnectionPage key={slug} slug={slug} />}</Route>
        <Route path="/log">
          <LogPage />
        </Route>
        <Route path="/catch-up">
          <CatchUpPage />
        </Route>
        <Route path="/people">
          <PeoplePage />
        </Route>
        <Route>
          <div className="page">
            <Empty icon="info" title="There is no such page">
              <p>Look at the address, or choose a page from the list.</p>
            </Empty>
          </div>
        </Route>
      </Switch>
    </Suspense>
  );
}
