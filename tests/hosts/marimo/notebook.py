"""A marimo notebook with a task stream, for the smoke test in a real browser."""

import marimo

app = marimo.App()


@app.cell
def _():
    from dask.distributed import Client

    import daskscope

    client = Client(processes=False, n_workers=2, threads_per_worker=2, dashboard_address=":0")
    return client, daskscope


@app.cell
def _(client, daskscope):
    import marimo as mo

    panel = mo.ui.anywidget(daskscope.TaskStream(client))
    panel  # noqa: B018 - marimo shows the last expression
    return (panel,)


@app.cell
def _(client, panel):
    # After the panel, so that what it shows arrives live.
    total = sum(client.gather(client.map(lambda x: x, range(300), pure=False)))
    print("total", total, "beside", type(panel).__name__)
    return


if __name__ == "__main__":
    app.run()
