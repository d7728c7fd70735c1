"""Live dashboards for Dask inside JupyterLab, through the client you already have."""
